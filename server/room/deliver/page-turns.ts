/** Pages that leave in one turn of the event loop, at most: a crowd that comes back must not delay those who talk. */
const maxPagesPerTurn = 16

export function createPageTurns() {
  const waiting: (() => void)[] = []
  let left = maxPagesPerTurn
  let scheduled = false

  function schedule(): void {
    if (scheduled) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      left = maxPagesPerTurn
      for (const go of waiting.splice(0, left)) go()
      if (waiting.length > 0) schedule()
    })
  }

  return {
    /** Resolves when the next page may leave. */
    take(): Promise<void> | void {
      schedule()
      if (left > 0) {
        left--
        return
      }
      return new Promise((resolve) => waiting.push(resolve))
    },
  }
}
