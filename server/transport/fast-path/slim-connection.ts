import type { Socket } from 'socket.io'

type Listener = (...args: unknown[]) => void

/** What Socket.IO, Engine.IO and ws keep of a connection and never need again; `internals.ts` looks whether it is there. */
interface Baggage {
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
 * Lets go of the HTTP request that opened the connection, which all three libraries hold on to for its whole life,
 * and of tables that stay empty here: together half of an idle connection's memory. `listeners` are those that were
 * registered with `onAny`, in one array for all.
 */
export function slimConnection(socket: Socket, listeners: readonly unknown[]): void {
  const baggage = socket as unknown as Baggage
  const { conn, client } = baggage
  Object.assign(baggage, { handshake: noHandshake, acks: noAcks, _anyListeners: listeners })
  conn.request = undefined
  // An array that grew by push holds room for sixteen more.
  if (conn.cleanupFn !== undefined) conn.cleanupFn = conn.cleanupFn.slice()
  const callbacks = client.decoder?._callbacks
  for (const event of Object.keys(callbacks ?? {})) if (callbacks?.[event]) callbacks[event] = callbacks[event].slice()
  if (conn.transport.name === 'websocket') slimWebSocket(conn.transport)
}

function slimWebSocket(transport: Baggage['conn']['transport']): void {
  transport.req = undefined
  const webSocket = transport.socket
  if (webSocket?._socket !== undefined) webSocket._socket._peername = undefined
  for (const listener of webSocket?.listeners?.('error') ?? []) {
    if (listener.name === 'onUpgradeError') webSocket?.removeListener?.('error', listener)
  }
}
