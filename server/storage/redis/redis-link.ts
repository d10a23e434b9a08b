import { openRedisConnection, type OpenRedisConnection, type RedisConnection } from './redis-connection.ts'
import { RedisError } from './redis-error.ts'

/** Minimum time between two attempts to connect. An earlier attempt is rejected at once. */
const reconnectEveryMs = 200

/** Link to Redis that reconnects on demand. The pending commands of a lost connection reject. */
export interface RedisLink {
  /** Resolves to the open connection, or to a new one. The reason of a rejection is always an `Error`. */
  connection(): Promise<RedisConnection>
  close(): void
}

/** Creates a link. `prepare` runs first on each new connection. If it rejects, the connection is closed. */
export function createRedisLink(
  url: string,
  name: string,
  prepare: (connection: RedisConnection) => Promise<void> = () => Promise.resolve(),
  open: OpenRedisConnection = openRedisConnection,
): RedisLink {
  let current: RedisConnection | null = null
  let connecting: Promise<RedisConnection> | null = null
  let notBeforeMs = Number.NEGATIVE_INFINITY
  /** Reason why there is no open connection: the last attempt failed, or its connection was lost. */
  let lastError: Error = connectionLost()
  let isClosed = false

  async function connect(): Promise<RedisConnection> {
    notBeforeMs = performance.now() + reconnectEveryMs
    const connection = await open(url, name)
    try {
      await prepare(connection)
      if (isClosed) throw new RedisError('This connection to Redis is closed.')
    } catch (error) {
      connection.close()
      throw error
    }
    current = connection
    lastError = connectionLost()
    return connection
  }

  return {
    async connection() {
      if (isClosed) throw new RedisError('This connection to Redis is closed.')
      if (current?.isOpen() === true) return current
      if (connecting === null && performance.now() < notBeforeMs) throw lastError
      connecting ??= connect()
        .catch((error: unknown) => {
          lastError = error instanceof Error ? error : new RedisError(String(error))
          throw lastError
        })
        .finally(() => (connecting = null))
      return connecting
    },
    close() {
      isClosed = true
      current?.close()
    },
  }
}

const connectionLost = () => new RedisError('The connection to Redis was lost.')
