import type { Socket } from 'socket.io'

type Listener = (...args: unknown[]) => void

/**
 * Members in which Socket.IO, Engine.IO and ws retain parts of a connection that they do not use again.
 * `library-internals.ts` checks that they are present.
 */
interface RetainedInternals {
  handshake: unknown
  acks: unknown
  _anyListeners: unknown
  client: { decoder?: { _callbacks?: Record<string, unknown[]>; opts?: unknown } }
  conn: {
    request: unknown
    cleanupFn?: unknown[]
    transport: {
      name: string
      req?: unknown
      socket?: {
        _socket?: { _peername?: unknown }
        listeners?: (event: string) => Listener[]
        removeListener?: (event: string, listener: Listener) => void
      }
    }
  }
}

const noHandshake = Object.freeze({})
const noAcks = Object.freeze(new Map())

/**
 * Releases the HTTP request that opened the connection, which all three libraries retain, and tables that stay empty:
 * together half the memory of an idle connection. `listeners` is the array of `onAny` listeners that all sockets share.
 */
export function slimConnection(socket: Socket, listeners: readonly unknown[]): void {
  const internals = socket as unknown as RetainedInternals
  const { conn, client } = internals
  Object.assign(internals, { handshake: noHandshake, acks: noAcks, _anyListeners: listeners })
  conn.request = undefined
  // V8 reserves capacity in an array that grew by `push`; a copy has none.
  if (conn.cleanupFn !== undefined) conn.cleanupFn = conn.cleanupFn.slice()
  const callbacks = client.decoder?._callbacks
  for (const event of Object.keys(callbacks ?? {})) if (callbacks?.[event]) callbacks[event] = callbacks[event].slice()
  if (conn.transport.name === 'websocket') slimWebSocket(conn.transport)
}

function slimWebSocket(transport: RetainedInternals['conn']['transport']): void {
  transport.req = undefined
  const webSocket = transport.socket
  if (webSocket?._socket !== undefined) webSocket._socket._peername = undefined
  for (const listener of webSocket?.listeners?.('error') ?? []) {
    if (listener.name === 'onUpgradeError') webSocket?.removeListener?.('error', listener)
  }
}
