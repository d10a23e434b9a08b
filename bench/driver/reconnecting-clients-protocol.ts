export interface ReconnectRequest {
  port: number
  clients: number
  /**
   * Kind of client. `page`: Chat Room's own link and back-off. `stock`: socket.io-client with default options over
   * WebSocket only.
   */
  kind: 'page' | 'stock'
}

interface ReconnectedResponse {
  /** Time of each client's reconnect; Infinity if it has not reconnected. */
  reconnectedAtMs: number[]
}

export interface ReconnectCalls {
  connect: { request: ReconnectRequest; response: { connected: number } }
  /** Starts recording reconnects. */
  watchReconnects: { request: null; response: null }
  waitForReconnects: { request: { timeoutMs: number }; response: ReconnectedResponse }
  disconnect: { request: null; response: null }
}
