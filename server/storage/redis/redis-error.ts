import { StorageError } from '../../base/storage-error.ts'

/** Error of a command: no reply, a late reply, or an error reply. The command may or may not have run. */
export class RedisError extends StorageError {
  override name = 'RedisError'

  constructor(message: string, options?: ErrorOptions) {
    super(message, null, options)
  }
}

/** Error of a command to which Redis did not respond in time. Redis may still run it. */
export class RedisTimeoutError extends RedisError {}
