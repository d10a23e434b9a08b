/** Redis did not answer, or not in time, or answered that it cannot: nothing is known to have happened. */
export class RedisError extends Error {
  override name = 'RedisError'
}
