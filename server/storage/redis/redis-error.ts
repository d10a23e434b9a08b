import { StorageError } from '../../base/storage-error.ts'

/**
 * Error of Redis: no reply, a late reply, an error reply, or data that this node cannot use. The command may or may not
 * have run.
 */
export class RedisError extends StorageError {
  override name = 'RedisError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, null, options)
  }
}

/** Error of a command or a connection attempt to which Redis did not respond in time. Redis may still run the command. */
export class RedisTimeoutError extends RedisError {}
