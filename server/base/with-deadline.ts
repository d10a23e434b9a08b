/**
 * Resolves to the value of a promise, or to the result of `fallback` if the promise does not settle in time. The work
 * itself is not cancelled.
 */
export async function valueOr<Value>(work: Promise<Value>, deadlineMs: number, fallback: () => Value): Promise<Value> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, deadlineMs)
  try {
    return await Promise.race([work, late.then(fallback)])
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves to the value of a promise. Rejects with `lateError` if the promise does not settle in time. */
export function withDeadline<Value>(work: Promise<Value>, deadlineMs: number, lateError: () => Error): Promise<Value> {
  return valueOr(work, deadlineMs, () => {
    throw lateError()
  })
}
