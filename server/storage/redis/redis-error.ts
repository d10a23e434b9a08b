/** Error of a command: no reply, a late reply, or an error reply. The command may or may not have run. */
export class RedisError extends Error {
  override name = 'RedisError'
}
