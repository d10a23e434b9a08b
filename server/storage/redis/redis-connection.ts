import { RedisClient } from '@redis/client'
import { withDeadline } from '../../base/with-deadline.ts'
import { RedisError, RedisTimeoutError } from './redis-error.ts'

/** Deadline of each command, and of connecting. Without one, both could wait for many minutes on a half-open connection. */
const deadlineMs = 3_000
/** Matches the errors of a replica. After a failover, a connection to the old primary may stay open and reject writes. */
const replicaErrors = /^(READONLY|MASTERDOWN) /

export type RedisReply = string | number | null | RedisReply[]

/**
 * Connection to one run of one server. It never reconnects. It closes permanently when it is lost, when a reply is late,
 * and when an error shows that the server is a replica.
 */
export interface RedisConnection {
  /**
   * Runs a command. Rejects with a `RedisError` when the reply is an error, is late, or cannot arrive because the
   * connection closed.
   */
  command(words: readonly string[]): Promise<RedisReply>
  isOpen(): boolean
  /** Closes the connection. Pending commands reject. */
  close(): void
}

export type OpenRedisConnection = (url: string, name: string) => Promise<RedisConnection>

const protocol = { RESP: 2 } as const
/**
 * Creates clients of one class for all connections. The library's `createClient` builds a class for each change of options.
 */
const createClient = RedisClient.factory(protocol)

/**
 * Opens a connection. The offline queue, retries and reconnects of the library are disabled, because they could run a
 * command on another run of the server than the caller checked.
 */
export async function openRedisConnection(url: string, name: string): Promise<RedisConnection> {
  const client = createClient({
    ...protocol,
    url,
    name,
    disableOfflineQueue: true,
    disableClientInfo: true,
    socket: { reconnectStrategy: false, connectTimeout: deadlineMs, noDelay: true },
  })
  // Pending commands reject with the same error.
  client.on('error', () => undefined)
  const close = () => {
    if (client.isOpen) client.destroy()
  }

  async function runWithDeadline<Value>(work: Promise<Value>): Promise<Value> {
    let isLate = false
    try {
      return await withDeadline(work, deadlineMs, () => {
        isLate = true
        return new RedisTimeoutError(`Redis did not respond within ${deadlineMs / 1_000} s.`)
      })
    } catch (error) {
      const message = messageOf(error)
      if (isLate || replicaErrors.test(message)) close()
      throw error instanceof RedisError ? error : new RedisError(message, { cause: error })
    }
  }

  try {
    await runWithDeadline(client.connect())
  } catch (error) {
    close()
    throw error
  }
  return {
    command: (words) => runWithDeadline(client.sendCommand<RedisReply>(words)),
    isOpen: () => client.isReady,
    close,
  }
}

/** Returns the message of an error. The `AggregateError` of a failed connect has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
