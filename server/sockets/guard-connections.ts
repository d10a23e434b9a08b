import type { Socket as EngineSocket } from 'engine.io'
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { Socket } from 'socket.io'
import { terminate } from '../fanout/socket-writer.ts'
import type { createEngineGate } from './engine-gate.ts'
import type { Admission, Admitted } from '../limits/admission.ts'
import { connectError } from './connect-error.ts'
import type { RoomServer } from './socket-server.ts'

interface GuardDeps {
  gate: ReturnType<typeof createEngineGate>
  admission: Admission
  log: Logger
}

/** Counts who is connected, refuses those who may not stay, and ends a connection that floods. */
export function guardConnections(io: RoomServer, { gate, admission, log }: GuardDeps) {
  const everyone = new WeakMap<object, Admitted>()

  // Shared by all connections: Engine.IO calls both with the connection as `this`.
  function onPacket(this: EngineSocket): void {
    const admitted = everyone.get(this)
    if (admitted === undefined || admission.notePacket(admitted)) return
    terminate(this)
    log.warn({ address: admitted.address }, 'ended a connection that sent far too much')
  }
  function onClose(this: EngineSocket): void {
    const admitted = everyone.get(this)
    if (admitted !== undefined) admission.leave(admitted)
  }

  io.engine.use(gate.middleware)
  io.engine.on('connection', (connection: EngineSocket & { request: IncomingMessage }) => {
    const admitted = gate.admittedBy(connection.request)
    if (admitted === undefined) throw new Error('A connection came in without having been let in.')
    everyone.set(connection, admitted)
    admission.enter(admitted)
    connection.on('packet', onPacket)
    connection.on('close', onClose)
  })

  io.use((socket, next) => {
    const { conn } = socket as unknown as Socket
    const admitted = everyone.get(conn)
    // One connection is one socket: else a single one could fill the list of who is online.
    if (admitted?.hasAskedToConnect !== false) {
      terminate(conn)
      return
    }
    admitted.hasAskedToConnect = true
    if (admitted.refusal === null) return next()
    next(connectError(admitted.refusal))
    setImmediate(() => conn.close())
  })

  function addressOf(socket: Socket): string {
    const admitted = everyone.get(socket.conn)
    if (admitted === undefined) throw new Error('A socket came in without having been let in.')
    return admitted.address
  }
  return { addressOf }
}
