import { openRedisConnection, type OpenRedisConnection, type RedisConnection } from './redis-connection.ts'
import { RedisError } from './redis-error.ts'

/** Between two attempts to connect: whoever asks meanwhile is refused at once. */
const reconnectEveryMs = 200

/** A connection that is made anew when it is needed and lost. What was under way on the lost one has been rejected. */
export interface RedisLink {
  /** The connection of now, or the next one. */
  connection(): Promise<RedisConnection>
  close(): void
}

/** `prepare` runs on each new connection, before anybody else may use it; when it rejects, the connection is closed. */
export function createRedisLink(
  url: string,
  name: string,
  prepare: (connection: RedisConnection) => Promise<void> = () => Promise.resolve(),
  open: OpenRedisConnection = openRedisConnection,
): RedisLink {
  let current: RedisConnection | null = null
  let connecting: Promise<RedisConnection> | null = null
  let notBeforeMs = Number.NEGATIVE_INFINITY
  let lastError: unknown = null
  let closed = false

  async function connect(): Promise<RedisConnection> {
    notBeforeMs = performance.now() + reconnectEveryMs
    const connection = await open(url, name)
    try {
      await prepare(connection)
      if (closed) throw new RedisError('This connection to Redis is closed.')
    } catch (error) {
      connection.close()
      throw error
    }
    current = connection
    return connection
  }

  return {
    async connection() {
      if (closed) throw new RedisError('This connection to Redis is closed.')
      if (current?.isOpen() === true) return current
      if (connecting === null && performance.now() < notBeforeMs) throw lastError
      connecting ??= connect()
        .catch((error: unknown) => {
          lastError = error
          throw error
        })
        .finally(() => (connecting = null))
      return connecting
    },
    close() {
      closed = true
      current?.close()
    },
  }
}
