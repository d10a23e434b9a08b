import { Socket } from 'node:net'
import { Client, type ClientBase, type ClientConfig, Pool, types } from 'pg'

interface PoolLimits {
  maxConnections: number
  /** From being handed out until being given back; who has it longer has lost it. */
  leaseMs: number
  statementTimeoutMs: number
}

/** To open a connection, or to wait for one that is free. */
const connectMs = 2_000
const idleMs = 60_000
const keepAliveMs = 10_000
/** What is under way gets this long to end by itself. */
const closeMs = 1_000

/**
 * Connections to PostgreSQL. pg has no deadline on a connection whose other end has fallen silent: a query on it waits
 * for a quarter of an hour, and with pg's own `query_timeout` the connection goes back among the good ones. Here each is
 * lent for a time; then its socket is destroyed, and with it those that lie idle, which most likely lead to the
 * same silence.
 */
export function createPostgresPool(databaseUrl: string, { maxConnections, leaseMs, statementTimeoutMs }: PoolLimits) {
  const sockets = new Map<ClientBase, Socket>()
  const leases = new Map<ClientBase, NodeJS.Timeout>()

  class ClientOnOwnSocket extends Client {
    constructor(config?: ClientConfig) {
      const socket = new Socket()
      super({ ...config, stream: () => socket })
      sockets.set(this, socket)
      socket.once('close', () => sockets.delete(this))
      // 64 bits, which pg gives as text; ours stay far below what a number holds.
      this.setTypeParser(types.builtins.INT8, Number)
      // While it is lent nobody else listens, and an error that nobody listens for ends the process; who waits for a
      // query hears of it there.
      this.on('error', () => undefined)
    }
  }

  const pool = new Pool({
    connectionString: databaseUrl,
    Client: ClientOnOwnSocket,
    application_name: 'chat-room',
    max: maxConnections,
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    statement_timeout: statementTimeoutMs,
    // A transaction whose process has stopped must not keep its locks.
    idle_in_transaction_session_timeout: leaseMs,
  })
  // One that lay idle has ended: the pool has dropped it, and the next query opens another.
  pool.on('error', () => undefined)
  pool.on('acquire', (client) =>
    leases.set(
      client,
      setTimeout(() => endSilent(client), leaseMs),
    ),
  )
  pool.on('release', (_error, client) => endLease(client))

  function endLease(client: ClientBase): void {
    clearTimeout(leases.get(client))
    leases.delete(client)
  }

  function endSilent(silent: ClientBase): void {
    for (const [client, socket] of sockets) if (client === silent || !leases.has(client)) socket.destroy()
  }

  return {
    pool,
    /** Ends what is under way, and lets go of the other end within a time, whether it says goodbye or not. */
    async close(): Promise<void> {
      setTimeout(() => {
        for (const socket of sockets.values()) socket.destroy()
      }, closeMs).unref()
      await pool.end()
    },
  }
}
