/** While the room is busy, messages leave together, at most once per window. */
export const flushWindowMs = 12
/** A room of ten thousand takes a tenth of a second: twice that would let a message wait for the one before it. */
export const maxPauseMs = 40

interface FlushScheduler {
  /** Something waits: flush at once when the room is quiet, at the window's end when it is busy. */
  request: () => void
  stop: () => void
}

/**
 * Runs `flush` for whatever has gathered: never two at a time, and after one that wrote for long (a
 * thousand sockets and more) not before as long again or `maxPauseMs`, so that messages gather and everything else gets
 * its share. `flush` tells for how long it wrote; waiting for the disk holds nobody up.
 */
export function createFlushScheduler(flush: () => Promise<number>): FlushScheduler {
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
    const wroteMs = await flush()
    notBefore = Math.max(startedAt + flushWindowMs, performance.now() + Math.min(wroteMs, maxPauseMs))
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
