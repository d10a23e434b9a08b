/**
 * Limits an operation to one call at a time. Callers that arrive during a call share the next one, so that its result is
 * newer than their request. Any number of concurrent callers causes at most two calls.
 */
export function singleFlight<Result>(operation: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | null = null

  function start(): Promise<Result> {
    next = null
    const result = operation()
    running = result.catch(() => undefined)
    return result
  }

  return () => (next ??= running.then(start))
}
