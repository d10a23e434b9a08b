import type { Transport } from 'engine.io'
import type { WebSocket } from 'ws'

/** WebSocket whose messages and control frames are counted, or another transport, whose packets are counted. */
export type PacketSource = Transport | WebSocket

/** Unread bytes above which a ping gets no pong: a client that sends pings and reads nothing would fill the buffer. */
export const maxUnreadBytesForPong = 1_024

/** Data with a size. The size of text is its number of UTF-16 code units, which is exact enough to detect a flood. */
type Sized = string | ArrayBuffer | Buffer | Buffer[]

/** Counts a packet. Returns `false` when the source has to be closed. */
type CountPacket = (source: PacketSource, packetBytes: number) => boolean

/**
 * Counts everything that a transport receives before Socket.IO parses it, including WebSocket control frames, which
 * neither ws nor Engine.IO limits. The listeners are shared by all connections and get the source as `this`.
 */
export function createPacketCounter(count: CountPacket) {
  function onMessage(this: WebSocket, data: Sized): void {
    if (!count(this, sizeOf(data))) closeAndDropRead(this)
  }
  function onPing(this: WebSocket, data: Buffer): void {
    if (!count(this, data.length)) closeAndDropRead(this)
    else if (this.bufferedAmount <= maxUnreadBytesForPong) this.pong(data)
  }
  function onPacket(this: Transport, { data }: { data?: Sized }): void {
    if (count(this, sizeOf(data))) return
    this.off('packet', onPacket)
    // Engine.IO closes its socket with the transport.
    this.emit('close')
  }

  /** Counts the packets of a transport. Returns the source that `count` is called with. */
  return (transport: Transport & { socket?: WebSocket }): PacketSource => {
    const webSocket = transport.socket
    if (webSocket === undefined) {
      transport.on('packet', onPacket)
      return transport
    }
    webSocket.prependListener('message', onMessage)
    webSocket.on('ping', onPing)
    webSocket.on('pong', onMessage)
    return webSocket
  }
}

/**
 * Terminates the WebSocket and drops the bytes that ws has buffered: ws would parse the remaining frames of the closed
 * connection.
 */
function closeAndDropRead(webSocket: WebSocket & { _receiver?: { _bufferedBytes: number } }): void {
  if (webSocket._receiver !== undefined) webSocket._receiver._bufferedBytes = 0
  webSocket.removeAllListeners('message')
  webSocket.removeAllListeners('ping')
  webSocket.removeAllListeners('pong')
  webSocket.terminate()
}

function sizeOf(data: Sized | undefined): number {
  if (data === undefined) return 0
  if (Array.isArray(data)) return data.reduce((sum, part) => sum + part.length, 0)
  return typeof data === 'string' ? data.length : data.byteLength
}
