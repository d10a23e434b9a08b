import type { Socket as EngineSocket } from 'engine.io'
import type { Socket as NetSocket } from 'node:net'
import type { EncodedPackets } from '../../room/deliver/encoded-packets.ts'
import { frameBytesOf, framesOf } from './frames.ts'

/** Members of Engine.IO and ws. `library-internals.ts` checks that the undocumented ones are present. */
interface EngineInternals {
  writeBuffer: { data?: string; options?: { wsPreEncodedFrame?: Buffer[] } }[]
  upgrading: boolean
  readyState: string
  transport: {
    name: string
    writable: boolean
    perMessageDeflate: unknown
    socket?: { readyState: number; terminate?: () => void; _socket?: NetSocket; _sender?: SenderInternals }
  }
  flush: () => void
  sendPacket: (type: 'ping') => void
  onClose: (reason: 'forced close') => void
}

interface SenderInternals {
  _bufferedBytes?: number
  _state?: number
}

/** Counters of libuv: bytes that Node has passed to it, and bytes that the kernel has not accepted yet. */
interface HandleInternals {
  bytesWritten?: number
  writeQueueSize?: number
}

/** Engine.IO's ping: a final text frame with one byte, '2'. */
const pingFrame = Buffer.from([0x81, 1, 0x32])

const webSocketOpen = 1
const senderIdle = 0

/** Bytes that were passed to Engine.IO, and bytes whose write has completed. */
interface ByteCount {
  queuedBytes: number
  sentBytes: number
}

/**
 * Writes packets to connections, in order with the writes of other modules, and counts unread bytes. A byte of a
 * WebSocket counts as sent when the kernel has accepted it, a byte of a polling response when the response was written.
 */
export function createSocketWriter(hasFastPath: boolean) {
  const counts = new WeakMap<EngineSocket, ByteCount>()

  function writeThroughEngine(connection: EngineSocket, packets: EncodedPackets, onDrained?: () => void): void {
    if (hasFastPath && isSettledWebSocket(internalsOf(connection))) {
      const frames = framesOf(packets)
      const options = { compress: false, wsPreEncodedFrame: [frames] }
      connection.write(packets.packets[0] ?? '', options, countSent(connection, frames.length, onDrained))
      return
    }
    // Count each packet separately: a polling response sends only some packets, and that progress must be visible.
    const last = packets.packets.length - 1
    for (const [index, packet] of packets.packets.entries()) {
      const onSent = countSent(connection, frameBytesOf(packet), index === last ? onDrained : undefined)
      connection.write(packet, { compress: false }, onSent)
    }
  }

  function countSent(connection: EngineSocket, bytes: number, onDrained?: () => void): () => void {
    const counted = counts.get(connection) ?? { queuedBytes: 0, sentBytes: 0 }
    counts.set(connection, counted)
    counted.queuedBytes += bytes
    return () => {
      counted.sentBytes += bytes
      onDrained?.()
    }
  }

  return {
    /** Writes the packets. Returns whether some bytes may be unsent afterwards. */
    write(connections: readonly EngineSocket[], packets: EncodedPackets): boolean {
      const direct: NetSocket[] = []
      let hasUnsent = false
      // Check all connections before the first write: a check between two writes would miss the CPU cache.
      for (const connection of connections) {
        const tcp = hasFastPath ? directPath(internalsOf(connection)) : null
        if (tcp !== null) direct.push(tcp)
        else {
          writeThroughEngine(connection, packets)
          hasUnsent = true
        }
      }
      if (direct.length === 0) return hasUnsent
      const frames = framesOf(packets)
      for (const tcp of direct) {
        tcp.write(frames)
        if (tcp.writableLength > 0) hasUnsent = true
      }
      return hasUnsent
    },
    /** Sends Engine.IO's ping, on the fast path as one prepared frame for all connections. */
    ping(connections: readonly EngineSocket[]): void {
      const direct: NetSocket[] = []
      for (const connection of connections) {
        const internals = internalsOf(connection)
        const tcp = hasFastPath ? directPath(internals) : null
        if (tcp !== null) direct.push(tcp)
        else internals.sendPacket('ping')
      }
      for (const tcp of direct) tcp.write(pingFrame)
    },
    /** Writes the packets. Resolves when the transport has sent them; never if the connection closes first. */
    writeAndDrain: (connection: EngineSocket, packets: EncodedPackets): Promise<void> =>
      new Promise((resolve) => writeThroughEngine(connection, packets, resolve)),
    /** Returns the number of bytes that are written to the connection and not yet sent, counted like `sentBytes`. */
    unreadBytes(connection: EngineSocket): number {
      const tcp = hasFastPath ? tcpOf(internalsOf(connection)) : null
      if (tcp !== null) return unreadOf(tcp) + engineQueueBytes(internalsOf(connection))
      const counted = counts.get(connection)
      return counted === undefined ? 0 : counted.queuedBytes - counted.sentBytes
    },
    /**
     * Returns the number of bytes sent to the connection. With polling, or without the fast path, only packets of this
     * writer count.
     */
    sentBytes(connection: EngineSocket): number {
      const tcp = hasFastPath ? tcpOf(internalsOf(connection)) : null
      return tcp === null ? (counts.get(connection)?.sentBytes ?? 0) : tcp.bytesWritten - unreadOf(tcp)
    },
  }
}

export type SocketWriter = ReturnType<typeof createSocketWriter>

/**
 * Returns the number of bytes that the kernel has not accepted. A stream counts a whole write until its last byte is
 * accepted; the handle counts single bytes.
 */
function unreadOf(tcp: NetSocket): number {
  // Check the most common case first; it is also the cheapest.
  if (tcp.writableLength === 0) return 0
  const handle = (tcp as NetSocket & { _handle?: HandleInternals | null })._handle
  if (typeof handle?.writeQueueSize !== 'number' || typeof handle.bytesWritten !== 'number') return tcp.writableLength
  return tcp.bytesWritten - handle.bytesWritten + handle.writeQueueSize
}

function tcpOf({ transport }: EngineInternals): NetSocket | null {
  return transport.socket?._socket ?? null
}

/** Returns the size of Engine.IO's own queue. */
function engineQueueBytes({ writeBuffer }: EngineInternals): number {
  let bytes = 0
  for (const { data, options } of writeBuffer) bytes += options?.wsPreEncodedFrame?.[0]?.length ?? data?.length ?? 0
  return bytes
}

/**
 * Makes Engine.IO queue the writes to a WebSocket. Returns a function that sends them in one write; `null` if the
 * connection is busy or has another transport.
 */
export function gatherWrites(connection: EngineSocket): (() => void) | null {
  const internals = internalsOf(connection)
  const { transport } = internals
  const tcp = transport.socket?._socket
  if (tcp === undefined || !transport.writable || !isSettledWebSocket(internals)) return null
  transport.writable = false
  return () => {
    transport.writable = true
    tcp.cork()
    internals.flush()
    tcp.uncork()
  }
}

/** Closes a connection at once, without sending its unread data. The client detects a lost transport. */
export function terminate(connection: EngineSocket): void {
  const internals = internalsOf(connection)
  connection.close(true)
  // Without this call, ws would wait for the peer's close frame and keep the unread data in memory.
  internals.transport.socket?.terminate?.()
  // `close` has no effect on a polling transport that is already closing and waits for a poll.
  internals.onClose('forced close')
}

/**
 * Returns whether all packets go through an uncompressed WebSocket. During an upgrade, the polling transport may still
 * send a packet.
 */
function isSettledWebSocket({ transport, upgrading }: EngineInternals): boolean {
  return transport.name === 'websocket' && !upgrading && !transport.perMessageDeflate
}

/** Returns the TCP socket if Engine.IO and ws have nothing queued that a direct write would overtake. */
function directPath(internals: EngineInternals): NetSocket | null {
  if (internals.readyState !== 'open' || internals.writeBuffer.length > 0 || !isSettledWebSocket(internals)) return null
  const webSocket = internals.transport.socket
  const sender = webSocket?._sender
  if (webSocket?.readyState !== webSocketOpen || sender?._state !== senderIdle || sender._bufferedBytes !== 0)
    return null
  return webSocket._socket ?? null
}

function internalsOf(connection: EngineSocket): EngineInternals {
  return connection as unknown as EngineInternals
}
