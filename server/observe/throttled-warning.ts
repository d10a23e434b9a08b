export const tellEveryMs = 60_000

/** For what fails again and again while something is away: told at once, and then once a minute as long as it lasts. */
export function createOutageWarning(tell: (error: unknown) => void) {
  let toldAt = Number.NEGATIVE_INFINITY
  return (error: unknown): void => {
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    tell(error)
  }
}

/**
 * For what strangers can bring about thousands of times a second: the first is told at once, those that follow within a
 * minute are told together at its end.
 */
export function createSparseWarning<Event>(tell: (event: Event, count: number) => void, everyMs = tellEveryMs) {
  let untold = 0
  let newest: Event | null = null
  let timer: NodeJS.Timeout | null = null

  function onMinuteOver(): void {
    timer = null
    if (newest === null || untold === 0) return
    tell(newest, untold)
    begin()
  }

  function begin(): void {
    untold = 0
    timer = setTimeout(onMinuteOver, everyMs).unref()
  }

  return (event: Event): void => {
    newest = event
    untold++
    if (timer !== null) return
    tell(event, 1)
    begin()
  }
}
