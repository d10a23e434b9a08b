import { type ServerOptions, WebSocketServer } from 'ws'

const closeTimeoutMs = 2_000

/**
 * ws waits half a minute for a peer to answer the closing of its connection: with a single dead peer a restart would
 * take as long. Also the very ws whose internals are checked at the start, not a copy that Engine.IO brings along.
 */
export class WebSocketEngine extends WebSocketServer {
  constructor(options: ServerOptions) {
    const withTimeout: ServerOptions & { closeTimeout: number } = { ...options, closeTimeout: closeTimeoutMs }
    super(withTimeout)
  }
}
