import { type ServerOptions, WebSocketServer } from 'ws'

const closeTimeoutMs = 2_000
/** Browsers send a message in one frame, and no library cuts 64 KiB into more than a few. */
export const maxFragments = 64
/** How often the network may deliver a part of one frame; a piece of one byte takes hundreds of bytes until it is whole. */
export const maxBufferedChunks = 256

/** What ws knows and its types do not. */
interface BoundOptions extends ServerOptions {
  closeTimeout: number
  maxFragments: number
  maxBufferedChunks: number
}

/**
 * ws waits half a minute for a peer to answer the closing of its connection: with a single dead peer a restart would
 * take as long. It answers every ping, read or not: ours are answered where they are counted. And it hands out all frames
 * of a read in one turn of the event loop, thousands: here each connection has one frame's turn, then come the others.
 * Also the very ws whose internals are checked at the start, not a copy that Engine.IO brings along.
 */
export class WebSocketEngine extends WebSocketServer {
  constructor(options: ServerOptions, answersPings = false) {
    const bounds = {
      autoPong: answersPings,
      allowSynchronousEvents: false,
      closeTimeout: closeTimeoutMs,
      maxFragments,
      maxBufferedChunks,
    }
    const boundOptions: BoundOptions = { ...options, ...bounds }
    super(boundOptions)
  }
}

/** Where frames cannot be counted, pings are answered by ws itself, as it likes. */
export class AutoPongWebSocketEngine extends WebSocketEngine {
  constructor(options: ServerOptions) {
    super(options, true)
  }
}
