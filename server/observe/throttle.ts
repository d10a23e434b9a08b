export const throttleMs = 60_000

/**
 * Returns a function that calls `write` for the first event and then at most once a minute. Use it for events that repeat
 * during an outage.
 */
export function createThrottle<Event>(write: (event: Event) => void): (event: Event) => void {
  let writtenAtMs = Number.NEGATIVE_INFINITY
  return (event) => {
    if (performance.now() - writtenAtMs < throttleMs) return
    writtenAtMs = performance.now()
    write(event)
  }
}

/**
 * Returns a function that calls `write` for the first event at once, and at the end of each minute with further events. It
 * passes the newest event and the number of events since the last call. Use it for events that clients can cause
 * thousands of times a second.
 */
export function createCountingThrottle<Event>(write: (event: Event, count: number) => void): (event: Event) => void {
  let count = 0
  let newest: Event | null = null
  let timer: NodeJS.Timeout | null = null

  function onTimeout(): void {
    timer = null
    if (newest === null || count === 0) return
    write(newest, count)
    restart()
  }

  function restart(): void {
    count = 0
    timer = setTimeout(onTimeout, throttleMs).unref()
  }

  return (event) => {
    newest = event
    count++
    if (timer !== null) return
    write(event, 1)
    restart()
  }
}

/** Returns a function with a counting throttle for each key. There must be few keys, and none that a client chooses. */
export function createThrottlePer<Event>(
  keyOf: (event: Event) => string,
  write: (event: Event, count: number) => void,
): (event: Event) => void {
  const throttles = new Map<string, (event: Event) => void>()
  return (event) => {
    const key = keyOf(event)
    const throttle = throttles.get(key) ?? createCountingThrottle(write)
    throttles.set(key, throttle)
    throttle(event)
  }
}
