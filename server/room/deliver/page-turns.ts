/** Maximum number of pages sent in one turn of the event loop, so that mass reconnects do not delay new messages. */
const maxPagesPerTurn = 16

/** Limits how many replay pages are sent per turn of the event loop. */
export function createPageTurns() {
  const waiting: (() => void)[] = []
  let remaining = maxPagesPerTurn
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      remaining = maxPagesPerTurn
      for (const resolve of waiting.splice(0, remaining)) resolve()
      if (waiting.length > 0) schedule()
    })
  }

  return {
    /** Returns or resolves when the next page may be sent. */
    take(): Promise<void> | void {
      schedule()
      if (remaining > 0) {
        remaining--
        return
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
