import { type ServerOptions, WebSocketServer } from 'ws'

const closeTimeoutMs = 2_000
/** Maximum number of fragments of a message. Browsers send one frame; libraries use a few for 64 KiB. */
export const maxFragments = 64
/** Maximum number of TCP chunks of one frame. A chunk of one byte takes hundreds of bytes of memory. */
export const maxBufferedChunks = 256

/** Options of ws that its types do not have. */
interface BoundOptions extends ServerOptions {
  closeTimeout: number
  maxFragments: number
  maxBufferedChunks: number
}

/**
 * WebSocket server of ws with these changes. It waits 2 s instead of 30 s for a peer's close frame, so that one dead
 * peer does not delay a restart. It sends no automatic pongs, because `count-packets.ts` sends them. It emits one
 * message or control frame per connection and turn of the event loop: a single read may contain thousands of them. It
 * accepts fewer fragments and chunks. It uses the copy of ws whose internals are checked, not the copy that Engine.IO
 * depends on.
 */
export class WebSocketEngine extends WebSocketServer {
  constructor(options: ServerOptions) {
    const bounds = {
      autoPong: false,
      allowSynchronousEvents: false,
      closeTimeout: closeTimeoutMs,
      maxFragments,
      maxBufferedChunks,
    }
    const boundOptions: BoundOptions = { ...options, ...bounds }
    super(boundOptions)
  }
}
