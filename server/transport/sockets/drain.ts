import { events, type RestartNotice } from '../../../contract/events.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Connection, RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'
import type { BroadcastNotice } from './broadcast-notice.ts'

// Use the global timer, which tests can replace.
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Minimum and maximum time over which silent clients are closed. The time grows with the number of connections. */
const minSpreadMs = 500
const maxSpreadMs = 3_000
const closedPerSecond = 4_000
const stepMs = 50
/** Time without a send after which a client that sends may be closed. After `maxSpreadMs`, any client may be closed. */
const quietMs = 500
/** Timeout of a graceful close. A connection that is still open after this time is terminated. */
const maxCloseMs = 3_000
/** Number of connections per second that a newly started server admits without a long wait. A page has two connections. */
const admittedPerSecond = 1_000
/**
 * Maximum duration that the drain assumes for the next start. The start of this process may have taken longer, because
 * it may have built the pages.
 */
const maxStartMs = 3_000
/** Step of the times to reconnect. Clients of the same step get the same time. */
const arrivalStepMs = 50

interface DrainDeps {
  broadcastNotice: BroadcastNotice
  /** Duration of a start; 0 in a cluster. */
  startMs: number
  /**
   * Resolves when the current batch is written. If the drain closed a client without a cursor earlier, the client would
   * miss the batch.
   */
  fanOutDone: () => Promise<void>
  /** Signal that aborts the drain when the reason for the drain ends; `null` if the drain cannot be aborted. */
  signal: AbortSignal | null
}

/**
 * Sends each client that requests positions a staggered time to reconnect. Then closes all connections in steps, and
 * each connection after its acks are written. Closes the transport, not the Socket.IO session, so that clients
 * reconnect. Resolves when no connection is left to close. After an abort, these are only the connections that are
 * already closing, because the server rejects their messages.
 */
export async function drainConnections(io: RoomServer, deps: DrainDeps): Promise<void> {
  const { broadcastNotice, startMs, fanOutDone, signal } = deps
  const { sockets } = io.sockets
  const isAborted = () => signal?.aborted === true
  const startedAt = performance.now()
  const closingSinceMs = new Map<RoomSocket, number>()
  const spreadMs = Math.min(maxSpreadMs, Math.max(minSpreadMs, (sockets.size / closedPerSecond) * 1_000))
  const backInMs = spreadMs + Math.min(startMs, maxStartMs)
  const perArrivalStep = (admittedPerSecond * arrivalStepMs) / 1_000
  broadcastNotice(events.restarting, (index): [RestartNotice] => [
    { inMs: Math.round(backInMs + Math.floor(index / perArrivalStep) * arrivalStepMs) },
  ])
  const perStep = Math.ceil((sockets.size * stepMs) / spreadMs)

  /**
   * Returns whether to keep a connection open because its client has sent recently. Always returns `false` after
   * `maxSpreadMs`.
   */
  function isSending({ sentAtMs }: Connection): boolean {
    const nowMs = performance.now()
    return nowMs - startedAt < maxSpreadMs && sentAtMs > 0 && nowMs - sentAtMs < quietMs
  }

  function closeGracefully(socket: RoomSocket): void {
    const sinceMs = closingSinceMs.get(socket) ?? performance.now()
    closingSinceMs.set(socket, sinceMs)
    if (performance.now() - sinceMs > maxCloseMs) terminate(socket.conn)
    // A polling client is closed when it polls. If it were closed earlier, it would keep sending to a session that does
    // not exist.
    else if (socket.conn.transport.writable) socket.conn.close()
  }

  function isOver(): boolean {
    return isAborted() ? ![...sockets.values()].some(({ data }) => data.connection.isClosing) : sockets.size === 0
  }

  while (!isOver()) {
    await sleep(stepMs)
    await fanOutDone()
    let turns = perStep
    for (const socket of sockets.values()) {
      const { connection } = socket.data
      if (!connection.isClosing) {
        if (isAborted() || turns <= 0 || isSending(connection)) continue
        turns--
        connection.isClosing = true
      }
      if (connection.unacknowledged === 0) closeGracefully(socket)
    }
  }
}
