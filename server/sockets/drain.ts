import { setTimeout as sleep } from 'node:timers/promises'
import { events } from '../../contract/events.ts'
import { terminate } from '../fanout/socket-writer.ts'
import type { RoomSocket } from './connection.ts'
import type { RoomServer } from './socket-server.ts'
import type { TellEverybody } from './tell-everybody.ts'

/** The connections are closed over this time, so that not everybody comes back at the same moment. */
const spreadMs = 3_000
const stepMs = 50
/** A client that could not be told goodbye for so long, because it neither polls nor reads, is cut off. */
const maxGoodbyeMs = 3_000

/**
 * Tells everybody that a restart is coming, then closes connection by connection, each only when its sends have been
 * answered and the answers are out. The transport is closed, not the Socket.IO session: a client takes that for a lost
 * connection and returns. Lasts as long as somebody is there, no longer.
 */
export async function drainConnections(io: RoomServer, tellEverybody: TellEverybody): Promise<void> {
  const { sockets } = io.sockets
  const goodbyeSinceMs = new Map<RoomSocket, number>()
  tellEverybody(events.restarting, { inMs: spreadMs })
  const perStep = Math.ceil((sockets.size * stepMs) / spreadMs)

  function sayGoodbye(socket: RoomSocket): void {
    const sinceMs = goodbyeSinceMs.get(socket) ?? performance.now()
    goodbyeSinceMs.set(socket, sinceMs)
    if (performance.now() - sinceMs > maxGoodbyeMs) terminate(socket.conn)
    // One that polls hears it when it asks: closed before, it would go on sending into a connection that is none.
    else if (socket.conn.transport.writable) socket.conn.close()
  }

  while (sockets.size > 0) {
    await sleep(stepMs)
    let turns = perStep
    for (const socket of sockets.values()) {
      const { connection } = socket.data
      if (!connection.isLeaving) {
        if (turns-- <= 0) continue
        connection.isLeaving = true
      }
      if (connection.unanswered === 0) sayGoodbye(socket)
    }
  }
}
