interface ThrottleState {
  ranAtMs: number
  /** What is still to be done; the last one asked for. */
  next: (() => void) | null
}

/**
 * Does what each owner asks for at once, but then no more often than every `minMs`; of what is asked in between only
 * the last is done, in its time. For requests that are small to make and large to answer.
 */
export function createRequestThrottle<Owner extends object>(minMs: number) {
  const paces = new WeakMap<Owner, ThrottleState>()

  function run(pace: ThrottleState, work: () => void): void {
    pace.ranAtMs = performance.now()
    work()
  }

  return (owner: Owner, work: () => void): void => {
    const pace = paces.get(owner) ?? { ranAtMs: Number.NEGATIVE_INFINITY, next: null }
    paces.set(owner, pace)
    const isWaiting = pace.next !== null
    const waitMs = pace.ranAtMs + minMs - performance.now()
    if (waitMs <= 0 && !isWaiting) return run(pace, work)
    pace.next = work
    if (isWaiting) return
    setTimeout(() => {
      const next = pace.next
      pace.next = null
      if (next !== null) run(pace, next)
    }, waitMs).unref()
  }
}
