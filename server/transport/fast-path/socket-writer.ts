import type { Socket as EngineSocket } from 'engine.io'
import type { Socket as NetSocket } from 'node:net'
import type { EncodedPackets } from '../../room/deliver/encoded-packets.ts'
import { framesOf } from './frames.ts'
import type { Capabilities } from './library-internals.ts'

/** What is used here of Engine.IO and ws, beyond what they document; `internals.ts` looks whether it is there. */
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
}

interface SenderInternals {
  _bufferedBytes?: number
  _state?: number
}

/** What libuv has been given by Node, and what of it is still with libuv. */
interface HandleInternals {
  bytesWritten?: number
  writeQueueSize?: number
}

/** A final text frame of one byte, Engine.IO's '2'. */
const pingFrame = Buffer.from([0x81, 1, 0x32])

const webSocketOpen = 1
const senderIdle = 0

/** What went out through Engine.IO and was reported back as taken. */
interface Counted {
  queuedBytes: number
  sentBytes: number
}

/** Writes packets to connections, in order with whatever else a connection has been given, and sees what was taken. */
export function createSocketWriter({ directWrites, byteCounts }: Capabilities) {
  const counts = new WeakMap<EngineSocket, Counted>()

  function writeThroughEngine(connection: EngineSocket, packets: EncodedPackets, onDrained?: () => void): void {
    const frames = framesOf(packets)
    const { length: bytes } = frames
    if (directWrites && isSettledWebSocket(internalsOf(connection))) {
      const options = { compress: false, wsPreEncodedFrame: [frames] }
      connection.write(packets.packets[0] ?? '', options, countTaken(connection, bytes, onDrained))
      return
    }
    // Each packet counts its share: a polling response takes only some of them, and a slow reader has to be seen reading.
    const last = packets.packets.length - 1
    const share = Math.floor(bytes / packets.packets.length)
    for (const [index, packet] of packets.packets.entries()) {
      const onTaken =
        index === last ? countTaken(connection, bytes - share * last, onDrained) : countTaken(connection, share)
      connection.write(packet, { compress: false }, onTaken)
    }
  }

  function countTaken(connection: EngineSocket, bytes: number, onDrained?: () => void): () => void {
    const counted = counts.get(connection) ?? { queuedBytes: 0, sentBytes: 0 }
    counts.set(connection, counted)
    counted.queuedBytes += bytes
    return () => {
      counted.sentBytes += bytes
      onDrained?.()
    }
  }

  return {
    /** Answers whether something may be left that the network has not yet taken. */
    write(connections: readonly EngineSocket[], packets: EncodedPackets): boolean {
      const direct: NetSocket[] = []
      let somethingWaits = false
      // All are looked at before the first is written to: between two writes every look would miss the processor's cache.
      for (const connection of connections) {
        const tcp = directWrites ? directPath(internalsOf(connection)) : null
        if (tcp !== null) direct.push(tcp)
        else {
          writeThroughEngine(connection, packets)
          somethingWaits = true
        }
      }
      if (direct.length === 0) return somethingWaits
      const frames = framesOf(packets)
      for (const tcp of direct) {
        tcp.write(frames)
        if (tcp.writableLength > 0) somethingWaits = true
      }
      return somethingWaits
    },
    /** Engine.IO's ping, from one prepared frame. */
    ping(connections: readonly EngineSocket[]): void {
      const direct: NetSocket[] = []
      for (const connection of connections) {
        const internals = internalsOf(connection)
        const tcp = directWrites ? directPath(internals) : null
        if (tcp !== null) direct.push(tcp)
        else internals.sendPacket('ping')
      }
      for (const tcp of direct) tcp.write(pingFrame)
    },
    /** Resolves once the client's transport has taken it. */
    writeAndDrain: (connection: EngineSocket, packets: EncodedPackets): Promise<void> =>
      new Promise((resolve) => writeThroughEngine(connection, packets, resolve)),
    /** What the connection was given and the network has not yet taken. */
    unreadBytes(connection: EngineSocket): number {
      const tcp = byteCounts ? tcpOf(internalsOf(connection)) : null
      if (tcp !== null) return unreadOf(tcp) + engineQueueBytes(internalsOf(connection))
      const counted = counts.get(connection)
      return counted === undefined ? 0 : counted.queuedBytes - counted.sentBytes
    },
    /** Grows with every byte that the network takes; while a client polls, with every poll. */
    sentBytes(connection: EngineSocket): number {
      const tcp = byteCounts ? tcpOf(internalsOf(connection)) : null
      return tcp === null ? (counts.get(connection)?.sentBytes ?? 0) : tcp.bytesWritten - unreadOf(tcp)
    },
  }
}

export type SocketWriter = ReturnType<typeof createSocketWriter>

/**
 * What Node and the operating system still hold back. A stream counts a write as a whole until its last byte is taken;
 * the handle knows the bytes.
 */
function unreadOf(tcp: NetSocket): number {
  // By far the most common, and the cheapest to see.
  if (tcp.writableLength === 0) return 0
  const handle = (tcp as NetSocket & { _handle?: HandleInternals | null })._handle
  if (typeof handle?.writeQueueSize !== 'number' || typeof handle.bytesWritten !== 'number') return tcp.writableLength
  return tcp.bytesWritten - handle.bytesWritten + handle.writeQueueSize
}

function tcpOf({ transport }: EngineInternals): NetSocket | null {
  return transport.socket?._socket ?? null
}

/** What waits in Engine.IO's own queue. */
function engineQueueBytes({ writeBuffer }: EngineInternals): number {
  let bytes = 0
  for (const { data, options } of writeBuffer) bytes += options?.wsPreEncodedFrame?.[0]?.length ?? data?.length ?? 0
  return bytes
}

/** Lets Engine.IO gather what a WebSocket is given; the answer sends it in one write. `null` for one that is busy. */
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

/** Ends a connection whose peer does not read: nothing more is written, and the client sees a lost transport. */
export function terminate(connection: EngineSocket): void {
  const { transport } = internalsOf(connection)
  connection.close(true)
  // Where it is at hand: ws alone would wait for an answer to its goodbye, with all that is unread in memory.
  transport.socket?.terminate?.()
}

/** In the middle of an upgrade a packet may still leave by the old transport, which knows no frames. */
function isSettledWebSocket({ transport, upgrading }: EngineInternals): boolean {
  return transport.name === 'websocket' && !upgrading && !transport.perMessageDeflate
}

/** The TCP socket, when nothing waits in Engine.IO's or ws's own queue that a write to it would overtake. */
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
