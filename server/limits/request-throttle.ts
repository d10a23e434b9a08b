interface ThrottleState {
  ranAtMs: number
  /** Latest request since the last run. */
  next: (() => void) | null
}

/**
 * Runs the requests of each owner at most once per `minMs`: the first one immediately, then only the latest one. Use it
 * for small requests with large responses.
 */
export function createRequestThrottle<Owner extends object>(minMs: number) {
  const states = new WeakMap<Owner, ThrottleState>()

  function run(state: ThrottleState, request: () => void): void {
    state.ranAtMs = performance.now()
    request()
  }

  return (owner: Owner, request: () => void): void => {
    const state = states.get(owner) ?? { ranAtMs: Number.NEGATIVE_INFINITY, next: null }
    states.set(owner, state)
    const isWaiting = state.next !== null
    const waitMs = state.ranAtMs + minMs - performance.now()
    if (waitMs <= 0 && !isWaiting) return run(state, request)
    state.next = request
    if (isWaiting) return
    setTimeout(() => {
      const { next } = state
      state.next = null
      if (next !== null) run(state, next)
    }, waitMs).unref()
  }
}
