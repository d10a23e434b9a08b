import { setTimeout as sleep } from 'node:timers/promises'
import { events, type RestartNotice } from '../../../contract/events.ts'
import { terminate } from '../fast-path/socket-writer.ts'
import type { Connection, RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'
import type { TellEverybody } from './broadcast-notice.ts'

/** Those who say nothing are closed over a time that grows with their number, between these. */
const minSpreadMs = 500
const maxSpreadMs = 3_000
const closedPerSecond = 4_000
const stepMs = 50
/** Whoever sends meanwhile is let go after a pause of this length, and all the same when the longest drain is over. */
const quietMs = 500
/** A client that could not be told goodbye for so long, because it neither polls nor reads, is cut off. */
const maxGoodbyeMs = 3_000
/** What a start admits without anybody waiting long; a page has two connections. */
const admittedPerSecond = 1_000
/** A first start that also built the pages says nothing about the next. */
const maxStartMs = 3_000
/** Those who come back within the same step are told the same. */
const arrivalStepMs = 50

interface DrainDeps {
  tellEverybody: TellEverybody
  /** What a start takes here, and 0 where other nodes are there. */
  startMs: number
  /** Nobody is closed in the middle of a flush: one that keeps no cursor would miss it. */
  toldAll: () => Promise<void>
  /** Aborts when there is no reason to drain any more; `null` when there always is. */
  signal: AbortSignal | null
}

/**
 * Tells every client when to come back, staggered, then closes the connections one by one, each only after its sends are
 * acknowledged and the acks are written. It closes the transport, not the Socket.IO session: a client takes that for a
 * lost connection and reconnects. Resolves when no connection is left. After an abort it only finishes the connections
 * whose turn had come, because these already reject messages; it leaves all others alone, also clients that return.
 */
export async function drainConnections(io: RoomServer, deps: DrainDeps): Promise<void> {
  const { tellEverybody, startMs, toldAll, signal } = deps
  const { sockets } = io.sockets
  const isAborted = () => signal?.aborted === true
  const startedAt = performance.now()
  const goodbyeSinceMs = new Map<RoomSocket, number>()
  const spreadMs = Math.min(maxSpreadMs, Math.max(minSpreadMs, (sockets.size / closedPerSecond) * 1_000))
  const backInMs = spreadMs + Math.min(startMs, maxStartMs)
  const perArrivalStep = (admittedPerSecond * arrivalStepMs) / 1_000
  tellEverybody(events.restarting, (place): [RestartNotice] => [
    { inMs: Math.round(backInMs + Math.floor(place / perArrivalStep) * arrivalStepMs) },
  ])
  const perStep = Math.ceil((sockets.size * stepMs) / spreadMs)

  /** Whoever goes on sending has until the longest drain is over. */
  function isTalking({ sentAtMs }: Connection): boolean {
    const nowMs = performance.now()
    return nowMs - startedAt < maxSpreadMs && sentAtMs > 0 && nowMs - sentAtMs < quietMs
  }

  function sayGoodbye(socket: RoomSocket): void {
    const sinceMs = goodbyeSinceMs.get(socket) ?? performance.now()
    goodbyeSinceMs.set(socket, sinceMs)
    if (performance.now() - sinceMs > maxGoodbyeMs) terminate(socket.conn)
    // One that polls hears it when it asks: closed before, it would go on sending into a connection that is none.
    else if (socket.conn.transport.writable) socket.conn.close()
  }

  function isOver(): boolean {
    return isAborted() ? ![...sockets.values()].some(({ data }) => data.connection.isLeaving) : sockets.size === 0
  }

  while (!isOver()) {
    await sleep(stepMs)
    await toldAll()
    let turns = perStep
    for (const socket of sockets.values()) {
      const { connection } = socket.data
      if (!connection.isLeaving) {
        if (isAborted() || turns <= 0 || isTalking(connection)) continue
        turns--
        connection.isLeaving = true
      }
      if (connection.unanswered === 0) sayGoodbye(socket)
    }
  }
}
