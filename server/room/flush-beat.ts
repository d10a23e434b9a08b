/** While the room is busy, messages leave together, at most once per window. */
export const flushWindowMs = 12

interface FlushBeat {
  /** Something waits: flush at once when the room is quiet, at the window's end when it is busy. */
  request: () => void
  stop: () => void
}

/**
 * Runs `flush` for whatever has gathered: never two at a time, and after one that took long (ten thousand
 * sockets, a slow disk) not before as long again, so that reading gets its share of the event loop.
 */
export function createFlushBeat(flush: () => Promise<void>): FlushBeat {
  let state: 'idle' | 'scheduled' | 'flushing' | 'stopped' = 'idle'
  let requestedMeanwhile = false
  let notBefore = 0
  let timer: NodeJS.Timeout | undefined

  function schedule(): void {
    state = 'scheduled'
    const waitMs = notBefore - performance.now()
    if (waitMs <= 0) setImmediate(() => void run())
    else timer = setTimeout(() => void run(), waitMs)
  }

  async function run(): Promise<void> {
    if (state !== 'scheduled') return
    state = 'flushing'
    requestedMeanwhile = false
    const startedAt = performance.now()
    await flush()
    const endedAt = performance.now()
    notBefore = Math.max(startedAt + flushWindowMs, endedAt + (endedAt - startedAt))
    if (state !== 'flushing') return
    state = 'idle'
    if (requestedMeanwhile) schedule()
  }

  return {
    request() {
      if (state === 'idle') schedule()
      else requestedMeanwhile = true
    },
    stop() {
      state = 'stopped'
      clearTimeout(timer)
    },
  }
}
