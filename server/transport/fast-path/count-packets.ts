import type { Transport } from 'engine.io'
import type { WebSocket } from 'ws'
import type { Capabilities } from './library-internals.ts'

/** Whatever brings packets in: a WebSocket, or a transport that only tells of packets. */
export type PacketSource = Transport | WebSocket

/** A pong is owed to the newest ping alone; whoever does not read gets none, so that they cannot pile up. */
export const maxUnreadBytesForPong = 1_024

/** Text counts by its UTF-16 units: near enough for telling a chat from a flood. */
type Sized = string | ArrayBuffer | Buffer | Buffer[]

/** Answers whether the source may go on; if not, nothing more that it sends is to be looked at. */
type NotePacket = (source: PacketSource, packetBytes: number) => boolean

/**
 * Counts all that a transport brings in before it is parsed, control frames of a WebSocket too, which neither ws nor
 * Engine.IO counts. The listeners are shared by all connections and get the source as `this`.
 */
export function createPacketCounter(note: NotePacket, { countedFrames, droppedFrames }: Capabilities) {
  const endWebSocket = droppedFrames ? endWithWhatWasRead : end

  function onMessage(this: WebSocket, data: Sized): void {
    if (!note(this, sizeOf(data))) endWebSocket(this)
  }
  function onPing(this: WebSocket, data: Buffer): void {
    if (!note(this, data.length)) endWebSocket(this)
    else if (this.bufferedAmount <= maxUnreadBytesForPong) this.pong(data)
  }
  function onPacket(this: Transport, { data }: { data?: Sized }): void {
    if (note(this, sizeOf(data))) return
    this.off('packet', onPacket)
    // Engine.IO's socket ends with its transport.
    this.emit('close')
  }

  /** What packets of this transport are counted by. */
  return (transport: Transport & { socket?: WebSocket }): PacketSource => {
    const webSocket = countedFrames ? transport.socket : undefined
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

/** What the last read has brought beyond this is forgotten: ws would go on taking it apart, for nobody. */
function endWithWhatWasRead(webSocket: WebSocket & { _receiver?: { _bufferedBytes: number } }): void {
  if (webSocket._receiver !== undefined) webSocket._receiver._bufferedBytes = 0
  end(webSocket)
}

function end(webSocket: WebSocket): void {
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
