import type { Socket as EngineSocket } from 'engine.io'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import { terminate } from '../fanout/socket-writer.ts'
import type { createEngineGate } from '../http/engine-requests.ts'
import type { Admission, Guest } from '../limits/admission.ts'
import { connectError } from './connect-error.ts'
import type { RoomServer } from './socket-server.ts'

interface GuardDeps {
  gate: ReturnType<typeof createEngineGate>
  admission: Admission
  log: Logger
}

/** Counts who is connected, refuses those who may not stay, and ends a connection that floods. */
export function guardConnections(io: RoomServer, { gate, admission, log }: GuardDeps) {
  const guests = new WeakMap<object, Guest>()

  // Shared by all connections: Engine.IO calls both with the connection as `this`.
  function onPacket(this: EngineSocket): void {
    const guest = guests.get(this)
    if (guest === undefined || admission.notePacket(guest)) return
    terminate(this)
    log.warn({ address: guest.address }, 'ended a connection that sent far too much')
  }
  function onClose(this: EngineSocket): void {
    const guest = guests.get(this)
    if (guest !== undefined) admission.leave(guest)
  }

  io.engine.use(gate.middleware)
  io.engine.on('connection', (connection: EngineSocket & { request: IncomingMessage }) => {
    const guest = gate.guestOf(connection.request)
    if (guest === undefined) throw new Error('A connection came in without having been let in.')
    guests.set(connection, guest)
    admission.enter(guest)
    connection.on('packet', onPacket)
    connection.on('close', onClose)
  })

  io.use((socket, next) => {
    const { conn } = socket as unknown as Socket
    const guest = guests.get(conn)
    // One connection is one socket: else a single one could fill the list of who is online.
    if (guest?.hasAskedToConnect !== false) {
      terminate(conn)
      return
    }
    guest.hasAskedToConnect = true
    if (guest.refusal === null) return next()
    next(connectError(guest.refusal))
    setImmediate(() => conn.close())
  })

  function addressOf(socket: Socket): string {
    const guest = guests.get(socket.conn)
    if (guest === undefined) throw new Error('A socket came in without having been let in.')
    return guest.address
  }
  return { addressOf }
}
