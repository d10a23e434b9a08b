import type { Server as HttpServer } from 'node:http'
import { Server } from 'socket.io'
import type { ClientToServerEvents, ServerToClientEvents } from '../../contract/events.ts'
import { maxFrameBytes, pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import { socketPath } from '../../contract/routes.ts'
import type { OriginCheck } from '../http/origins.ts'
import type { Greeting } from './handshake.ts'

const connectTimeoutMs = 10_000

export interface SocketData {
  greeting: Greeting
  /** Sends that were accepted and not yet answered: a drain waits for them. */
  unanswered: number
}

export type RoomServer = Server<ClientToServerEvents, ServerToClientEvents, Record<string, never>, SocketData>

/** Socket.IO's own state recovery stays off: it loses acknowledged messages on a crash. The log replays instead. */
export function createSocketServer(httpServer: HttpServer, isAllowedOrigin: OriginCheck): RoomServer {
  return new Server(httpServer, {
    path: socketPath,
    serveClient: false,
    maxHttpBufferSize: maxFrameBytes,
    pingInterval: pingIntervalMs,
    pingTimeout: pingTimeoutMs,
    connectTimeout: connectTimeoutMs,
    perMessageDeflate: false,
    httpCompression: false,
    allowRequest: (request, decide) => {
      const isAllowed = isAllowedOrigin(request)
      decide(isAllowed ? null : 'This origin is not allowed.', isAllowed)
    },
    cors: (request, decide) => {
      decide(null, { origin: isAllowedOrigin(request) })
    },
  })
}
