/** Whoever asks hears within this time; what was asked for may still be done later. */
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
