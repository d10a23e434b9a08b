import type { Socket as EngineSocket } from 'engine.io'
import type { Socket as NetSocket } from 'node:net'
import type { Parcel } from './parcel.ts'

/**
 * The one place that reaches into Engine.IO and ws. What is reached for is checked per socket, and where it is
 * missing the ordinary path serves.
 */
interface EngineInternals {
  writeBuffer: unknown[]
  upgrading: boolean
  readyState: string
  transport: {
    name: string
    writable: boolean
    perMessageDeflate: unknown
    socket?: {
      readyState: number
      _socket?: NetSocket
      _sender?: { _bufferedBytes?: number; _state?: number }
    }
  }
  onClose: (reason: string) => void
}

const webSocketOpen = 1
const senderIdle = 0

/** Writes a parcel; order is kept with whatever else this connection has been given. */
export function writeParcel(connection: EngineSocket, parcel: Parcel): void {
  const tcp = directPath(connection)
  if (tcp === null) writeThroughEngine(connection, parcel)
  else tcp.write(parcel.frames)
}

/** The same, and calls back once the client's transport has taken it. */
export function writeParcelAndDrain(connection: EngineSocket, parcel: Parcel, onDrained: () => void): void {
  writeThroughEngine(connection, parcel, onDrained)
}

/** What the connection was given and the network has not yet taken. */
export function unreadBytes(connection: EngineSocket): number {
  const { transport, writeBuffer } = internalsOf(connection)
  const queued = writeBuffer.length === 0 ? 0 : queuedBytes(writeBuffer)
  return queued + (transport.socket?._socket?.writableLength ?? 0)
}

/** What the network has taken of this connection's WebSocket so far; 0 while it polls. */
export function takenBytes(connection: EngineSocket): number {
  const tcp = internalsOf(connection).transport.socket?._socket
  return tcp === undefined ? 0 : tcp.bytesWritten - tcp.writableLength
}

/** Ends a connection whose peer does not read: nothing more is written, and the client sees a lost transport. */
export function terminate(connection: EngineSocket): void {
  const internals = internalsOf(connection)
  internals.transport.socket?._socket?.destroy()
  internals.onClose('transport close')
}

/**
 * The TCP socket, when a buffer of finished frames may be written to it now: a WebSocket that is open, not in the
 * middle of an upgrade, with nothing waiting in Engine.IO's or ws's own queue that this would overtake.
 */
function directPath(connection: EngineSocket): NetSocket | null {
  const { transport, writeBuffer, upgrading, readyState } = internalsOf(connection)
  if (readyState !== 'open' || upgrading || writeBuffer.length > 0 || transport.name !== 'websocket') return null
  const webSocket = transport.socket
  if (webSocket?.readyState !== webSocketOpen || transport.perMessageDeflate) return null
  const sender = webSocket._sender
  if (sender?._state !== senderIdle || sender._bufferedBytes !== 0) return null
  return webSocket._socket ?? null
}

function writeThroughEngine(connection: EngineSocket, parcel: Parcel, onDrained?: () => void): void {
  const { upgrading, transport } = internalsOf(connection)
  if (transport.name === 'websocket' && !upgrading && !transport.perMessageDeflate) {
    const options = { compress: false, wsPreEncodedFrame: [parcel.frames] }
    connection.write(parcel.packets[0] ?? '', options, onDrained)
    return
  }
  const last = parcel.packets.length - 1
  for (const [index, packet] of parcel.packets.entries()) {
    connection.write(packet, { compress: false }, index === last ? onDrained : undefined)
  }
}

function queuedBytes(packets: unknown[]): number {
  let bytes = 0
  for (const packet of packets as { data?: string; options?: { wsPreEncodedFrame?: Buffer[] } }[]) {
    bytes += packet.options?.wsPreEncodedFrame?.[0]?.length ?? packet.data?.length ?? 0
  }
  return bytes
}

function internalsOf(connection: EngineSocket): EngineInternals {
  return connection as unknown as EngineInternals
}
