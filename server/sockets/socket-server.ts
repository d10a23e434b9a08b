import type { Server as HttpServer } from 'node:http'
import { Encoder } from 'socket.io-parser'
import { Server } from 'socket.io'
import type { ClientToServerEvents, ServerToClientEvents } from '../../contract/events.ts'
import { maxFrameBytes, pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import { socketPath } from '../../contract/routes.ts'
import type { Guard } from '../guard.ts'
import type { OriginCheck } from '../http/origins.ts'
import type { SocketData } from './connection.ts'
import { BoundedDecoder } from './bounded-decoder.ts'
import { GuardedEngine } from './guarded-engine.ts'
import { IdleAdapter } from './idle-adapter.ts'
import { WebSocketEngine } from './web-socket-engine.ts'

const connectTimeoutMs = 10_000

export type RoomServer = Server<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>

/** Socket.IO's own state recovery stays off: it loses acknowledged messages on a crash. The log replays instead. */
export function createSocketServer(httpServer: HttpServer, isAllowedOrigin: OriginCheck, guard: Guard) {
  const engine = new GuardedEngine(
    {
      wsEngine: WebSocketEngine,
      maxHttpBufferSize: maxFrameBytes,
      pingInterval: pingIntervalMs,
      pingTimeout: pingTimeoutMs,
      perMessageDeflate: false,
      httpCompression: false,
      cors: (request, decide) => {
        decide(null, { origin: isAllowedOrigin(request) })
      },
    },
    guard,
  )
  engine.attach(httpServer, { path: socketPath, destroyUpgrade: false })
  const io: RoomServer = new Server({
    serveClient: false,
    adapter: IdleAdapter,
    connectTimeout: connectTimeoutMs,
    parser: { Encoder, Decoder: BoundedDecoder },
  })
  io.bind(engine)
  return { io, engine }
}
