import { createClient } from '@redis/client'
import { withDeadline } from '../../base/with-deadline.ts'
import { RedisError } from './redis-error.ts'

/** Whoever asks hears within this time. A half-open connection has no time-out of its own. */
const redisDeadlineMs = 3_000
const connectDeadlineMs = 3_000
/** Replies of a replica. A failover may leave connections to the old primary open: they would fail for ever. */
const replicaErrors = /^(READONLY|MASTERDOWN) /

export type RedisReply = string | number | null | RedisReply[]

/**
 * One connection to one run of one server. It never reconnects: it closes for good when it is lost, when a reply is
 * late, and when the server turns out to be a replica.
 */
export interface RedisConnection {
  /** Rejects with a `RedisError` when the reply is an error, is late, or cannot arrive because the connection closed. */
  command(words: readonly string[], deadlineMs?: number): Promise<RedisReply>
  isOpen(): boolean
  /** What is unanswered rejects. */
  close(): void
}

export type OpenRedisConnection = (url: string, name: string) => Promise<RedisConnection>

/**
 * Nothing of the library's own patience is used: no queue for commands while the server is away, no second attempt, no
 * reconnecting behind our back. Each of them would answer for another life of the server than the one that was asked.
 */
export async function openRedisConnection(url: string, name: string): Promise<RedisConnection> {
  const client = createClient({
    url,
    name,
    RESP: 2,
    disableOfflineQueue: true,
    disableClientInfo: true,
    socket: { reconnectStrategy: false, connectTimeout: connectDeadlineMs, noDelay: true },
  })
  // Told to the callers as well, by what they wait for.
  client.on('error', () => undefined)
  const close = () => {
    if (client.isOpen) client.destroy()
  }

  async function inTime<Value>(work: Promise<Value>, deadlineMs: number): Promise<Value> {
    let isLate = false
    try {
      return await withDeadline(work, deadlineMs, () => {
        isLate = true
        return new RedisError(`Redis has not answered for ${deadlineMs / 1_000} s.`)
      })
    } catch (error) {
      const message = messageOf(error)
      if (isLate || replicaErrors.test(message)) close()
      throw error instanceof RedisError ? error : new RedisError(message, { cause: error })
    }
  }

  try {
    await inTime(client.connect(), connectDeadlineMs)
  } catch (error) {
    close()
    throw error
  }
  return {
    command: (words, deadlineMs = redisDeadlineMs) => inTime(client.sendCommand<RedisReply>(words), deadlineMs),
    isOpen: () => client.isReady,
    close,
  }
}

/** Node gathers the attempts on several addresses in an error that says nothing itself. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
