/** Minimum interval between the starts of two flushes. Messages of a busy room are batched in between. */
export const flushWindowMs = 12
/**
 * Maximum pause after a fan-out. A fan-out to ten thousand subscribers takes 100 ms; an equal pause would double the
 * latency.
 */
export const maxPauseMs = 40

interface FlushScheduler {
  /**
   * Schedules a flush: at once in a quiet room; in a busy one, when the window and the pause after the last fan-out are
   * over.
   */
  request: () => void
  stop: () => void
}

/**
 * Runs `flush` on request, never two at a time. `flush` resolves to the duration of its fan-out. The next flush waits
 * for the same duration, up to `maxPauseMs`, so that messages form batches and the event loop has time for other work. Time
 * spent waiting for the disk causes no pause.
 */
export function createFlushScheduler(flush: () => Promise<number>): FlushScheduler {
  let state: 'idle' | 'scheduled' | 'flushing' | 'stopped' = 'idle'
  let isRequestedAgain = false
  let notBeforeMs = 0
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    state = 'scheduled'
    const waitMs = notBeforeMs - performance.now()
    if (waitMs <= 0) setImmediate(() => void run())
    else timer = setTimeout(() => void run(), waitMs)
  }

  async function run(): Promise<void> {
    if (state !== 'scheduled') return
    state = 'flushing'
    isRequestedAgain = false
    const startedAtMs = performance.now()
    const fanOutMs = await flush()
    notBeforeMs = Math.max(startedAtMs + flushWindowMs, performance.now() + Math.min(fanOutMs, maxPauseMs))
    if (state !== 'flushing') return
    state = 'idle'
    if (isRequestedAgain) schedule()
  }

  return {
    request() {
      if (state === 'idle') schedule()
      else isRequestedAgain = true
    },
    stop() {
      state = 'stopped'
      clearTimeout(timer)
    },
  }
}
