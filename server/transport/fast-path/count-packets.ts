import type { Transport } from 'engine.io'
import type { WebSocket } from 'ws'

/** WebSocket whose messages, pings and pongs are counted, or another transport, whose packets are counted. */
export type PacketSource = Transport | WebSocket

/** Data with a size. The size of text is its number of UTF-16 code units, which is exact enough to detect a flood. */
type Sized = string | ArrayBuffer | Buffer | Buffer[]

/** Counts a packet. Returns `false` when the source has to be closed. */
type CountPacket = (source: PacketSource, packetBytes: number) => boolean

/**
 * Counts the packets that a transport receives, before Socket.IO parses them. Also counts WebSocket pings and pongs,
 * which neither ws nor Engine.IO limits. All connections share the listeners, which get the source as `this`.
 */
export function createPacketCounter(count: CountPacket) {
  /** WebSockets with an unsent pong, and the newest ping that arrived after the ping of that pong, or `null`. */
  const unsentPongs = new WeakMap<WebSocket, Uint8Array | null>()

  /**
   * Sends one pong at a time, and then the pong of the newest ping. Otherwise, a client that sends pings and reads
   * nothing would fill the buffer. RFC 6455 allows a response to the newest ping only.
   */
  function sendPong(webSocket: WebSocket, data: Uint8Array): void {
    unsentPongs.set(webSocket, null)
    webSocket.pong(data, false, (error) => {
      const newest = unsentPongs.get(webSocket) ?? null
      unsentPongs.delete(webSocket)
      if (!error && newest !== null) sendPong(webSocket, newest)
    })
  }

  function onMessage(this: WebSocket, data: Sized): void {
    if (!count(this, sizeOf(data))) closeAndDropRead(this)
  }
  function onPing(this: WebSocket, data: Buffer): void {
    if (!count(this, data.length)) closeAndDropRead(this)
    // Copy the data, which is a part of a read buffer: without the copy, the whole buffer would stay in memory.
    else if (unsentPongs.has(this)) unsentPongs.set(this, new Uint8Array(data))
    else sendPong(this, data)
  }
  function onPacket(this: Transport, { data }: { data?: Sized }): void {
    if (count(this, sizeOf(data))) return
    this.off('packet', onPacket)
    // Engine.IO closes its socket with the transport.
    this.emit('close')
  }

  /** Counts the packets of a transport. Returns the source that it passes to `count`. */
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
