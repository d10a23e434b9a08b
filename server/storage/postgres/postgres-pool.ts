import { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, Pool, types } from 'pg'

interface PoolLimits {
  maxConnections: number
  /** Timeout for opening a connection or waiting for a free one. */
  connectMs: number
  /** Maximum time for which a connection is checked out. The pool then closes the connection. */
  leaseMs: number
  statementTimeoutMs: number
}

const idleMs = 60_000
const keepAliveMs = 10_000
/** Time for running queries to finish during `close`. */
const closeMs = 1_000

/**
 * Creates a pool of PostgreSQL connections with a deadline per checkout. pg has no deadline for a half-open connection.
 * A query on it waits for a quarter of an hour, and `query_timeout` of pg returns the broken connection to the pool. In
 * this pool, an overdue checkout destroys its socket and all idle sockets, which most likely belong to the same
 * unreachable server.
 */
export function createPostgresPool(
  databaseUrl: string,
  { maxConnections, connectMs, leaseMs, statementTimeoutMs }: PoolLimits,
) {
  const sockets = new Map<ClientBase, Socket>()
  const leases = new Map<ClientBase, NodeJS.Timeout>()

  class ClientWithKnownSocket extends Client {
    constructor(config?: ClientConfig) {
      const socket = new Socket()
      super({ ...config, stream: () => socket })
      sockets.set(this, socket)
      socket.once('close', () => sockets.delete(this))
      // pg returns 64-bit integers as text. The values here are far below the maximum of a number.
      this.setTypeParser(types.builtins.INT8, Number)
      // The pool has no error listener on a checked-out client, and an unhandled 'error' event ends the process. The
      // pending query rejects with the same error.
      this.on('error', () => undefined)
    }
  }

  const pool = new Pool({
    connectionString: databaseUrl,
    Client: ClientWithKnownSocket,
    application_name: 'chat-room',
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    statement_timeout: statementTimeoutMs,
    // A transaction of a stopped process must not hold its locks.
    idle_in_transaction_session_timeout: leaseMs,
  })
  // An idle connection was closed. The pool has removed it, and the next query opens another one.
  pool.on('error', () => undefined)
  pool.on('acquire', (client) =>
    leases.set(
      client,
      setTimeout(() => destroyOverdue(client), leaseMs),
    ),
  )
  pool.on('release', (_error, client) => endLease(client))

  function destroySockets(isChosen: (client: ClientBase) => boolean): void {
    for (const [client, socket] of sockets) if (isChosen(client)) socket.destroy()
  }

  function endLease(client: ClientBase): void {
    clearTimeout(leases.get(client))
    leases.delete(client)
  }

  /** Destroys the socket of an overdue client and all idle sockets. */
  function destroyOverdue(overdue: ClientBase): void {
    destroySockets((client) => client === overdue || !leases.has(client))
  }

  return {
    pool,
    /** Closes the idle connections, so that new connections reach the server that has the address now. */
    closeIdle: () => destroySockets((client) => !leases.has(client)),
    /**
     * Waits for running queries, then closes all connections. Destroys the connections whose queries do not end in
     * time.
     */
    async close(): Promise<void> {
      setTimeout(() => destroySockets(() => true), closeMs).unref()
      await pool.end()
    },
  }
}
