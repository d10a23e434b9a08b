import type { Socket as EngineSocket } from 'engine.io'
import type { Server as HttpServer } from 'node:http'
import { Encoder } from 'socket.io-parser'
import { Server } from 'socket.io'
import { Adapter } from 'socket.io-adapter'
import type { ClientToServerEvents, SpecifiedServerEvents } from '../../../contract/events.ts'
import { maxFrameBytes, pingIntervalMs, pingTimeoutMs } from '../../../contract/limits.ts'
import { socketPath } from '../../../contract/routes.ts'
import { createHeartbeats } from '../fast-path/heartbeats.ts'
import { type SocketWriter, terminate } from '../fast-path/socket-writer.ts'
import type { Guard } from '../../base/error-guard.ts'
import type { OriginCheck } from '../http/origins.ts'
import type { SocketData } from './connection.ts'
import { BoundedDecoder, type DecodingCost } from './bounded-decoder.ts'
import { joinTimeoutMs } from './join-deadline.ts'
import { GuardedEngine } from './guarded-engine.ts'
import { WebSocketEngine } from './web-socket-engine.ts'

/** Maximum time from the start of a connection until its admission. */
const connectTimeoutMs = 2 * joinTimeoutMs

function reachesNoClient(): never {
  throw new Error('io.emit, rooms and broadcasts reach no client: use broadcastNotice, or the room for messages.')
}

/** Adapter without Socket.IO's rooms. All clients are in one chat room, so Socket.IO keeps no rooms per socket. */
export class RoomlessAdapter extends Adapter {
  override addAll(): void {}
  override del(): void {}
  override delAll(): void {}
  override broadcast = reachesNoClient
  override broadcastWithAck = reachesNoClient
  override sockets = reachesNoClient
  override fetchSockets = reachesNoClient
  override addSockets = reachesNoClient
  override delSockets = reachesNoClient
  override disconnectSockets = reachesNoClient
}

export type RoomServer = Server<ClientToServerEvents, SpecifiedServerEvents, Record<string, never>, SocketData>

interface SocketServerDeps {
  /** Decides which origins get CORS headers. It reports nothing: the gate rejects and reports other origins. */
  allowsOrigin: OriginCheck
  guard: Guard
  hasFastPath: boolean
  socketWriter: SocketWriter
  cost: DecodingCost
}

/**
 * Creates the Socket.IO server. Connection state recovery stays off, because it loses acknowledged messages on a crash.
 * Clients get missed messages from the log instead.
 */
export function createSocketServer(
  httpServer: HttpServer,
  { allowsOrigin, guard, hasFastPath, socketWriter, cost }: SocketServerDeps,
) {
  class MeteredDecoder extends BoundedDecoder {
    constructor() {
      super(cost)
    }
  }
  const engine = new GuardedEngine(
    {
      wsEngine: WebSocketEngine,
      maxHttpBufferSize: maxFrameBytes,
      pingInterval: pingIntervalMs,
      pingTimeout: pingTimeoutMs,
      perMessageDeflate: false,
      httpCompression: false,
      cors: (request, decide) => {
        decide(null, { origin: allowsOrigin(request) })
      },
    },
    guard,
  )
  engine.attach(httpServer, { path: socketPath, destroyUpgrade: false })
  const io: RoomServer = new Server({
    serveClient: false,
    adapter: RoomlessAdapter,
    connectTimeout: connectTimeoutMs,
    parser: { Encoder, Decoder: MeteredDecoder },
  })
  io.bind(engine)
  const heartbeats = createHeartbeats(hasFastPath, socketWriter, {
    intervalMs: pingIntervalMs,
    timeoutMs: pingTimeoutMs,
  })
  engine.on(
    'connection',
    guard.wrap('heartbeats', (connection: EngineSocket) => heartbeats.add(connection), terminate),
  )
  return { io, engine, heartbeats }
}

/** Counts connections that receive messages: each page has one of these. */
export function countPages(io: RoomServer): number {
  let pages = 0
  for (const { data } of io.sockets.sockets.values()) if (data.connection.receivesMessages) pages++
  return pages
}
