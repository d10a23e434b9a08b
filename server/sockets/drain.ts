import { setTimeout as sleep } from 'node:timers/promises'
import { events } from '../../contract/events.ts'
import type { RoomServer } from './socket-server.ts'

/** The connections are closed over this time, so that not everybody comes back at the same moment. */
const spreadMs = 3_000
const stepMs = 50

/**
 * Tells everybody that a restart is coming, then closes connection by connection, each only when its sends have been
 * answered. The transport is closed, not the Socket.IO session: a client takes that for a lost connection and returns.
 */
export async function drainConnections(io: RoomServer): Promise<void> {
  const waiting = [...io.sockets.sockets.values()]
  for (const socket of waiting) socket.emit(events.restarting, { inMs: spreadMs })
  const perStep = Math.ceil((waiting.length * stepMs) / spreadMs)
  while (waiting.length > 0) {
    await sleep(stepMs)
    const turn = waiting.splice(0, perStep)
    for (const socket of turn) {
      if (socket.data.connection.unanswered > 0) waiting.push(socket)
      else socket.conn.close()
    }
  }
}
