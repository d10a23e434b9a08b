import type { Server as HttpServer } from 'node:http'
import { Server } from 'socket.io'
import type { ClientToServerEvents, ServerToClientEvents } from '../../contract/events.ts'
import { maxFrameBytes, pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import { socketPath } from '../../contract/routes.ts'
import type { OriginCheck } from '../http/origins.ts'
import type { Connection } from './connection.ts'
import { IdleAdapter } from './idle-adapter.ts'
import { WebSocketEngine } from './web-socket-engine.ts'

const connectTimeoutMs = 10_000

export interface SocketData {
  connection: Connection
}

export type RoomServer = Server<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>

/** Socket.IO's own state recovery stays off: it loses acknowledged messages on a crash. The log replays instead. */
export function createSocketServer(httpServer: HttpServer, isAllowedOrigin: OriginCheck): RoomServer {
  return new Server(httpServer, {
    path: socketPath,
    serveClient: false,
    adapter: IdleAdapter,
    wsEngine: WebSocketEngine,
    maxHttpBufferSize: maxFrameBytes,
    pingInterval: pingIntervalMs,
    pingTimeout: pingTimeoutMs,
    connectTimeout: connectTimeoutMs,
    perMessageDeflate: false,
    httpCompression: false,
    destroyUpgrade: false,
    cors: (request, decide) => {
      decide(null, { origin: isAllowedOrigin(request) })
    },
  })
}
