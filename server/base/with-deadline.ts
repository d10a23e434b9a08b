/**
 * Resolves to the value of a promise. Rejects with `lateError` if the promise does not settle in time. The work itself is
 * not cancelled.
 */
export async function withDeadline<Value>(
  work: Promise<Value>,
  deadlineMs: number,
  lateError: () => Error,
): Promise<Value> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(lateError()), deadlineMs)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
