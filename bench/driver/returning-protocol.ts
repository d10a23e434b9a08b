export interface ReturningOrder {
  port: number
  clients: number
  /** `page`: our page's own link and back-off. `stock`: socket.io-client as installed. */
  kind: 'page' | 'stock'
}

interface ReturnedAnswer {
  /** From the first lost connection to 95 % of all being back. */
  firstLostAtMs: number
  backAtMs: number[]
}

export interface ReturningCalls {
  connect: { order: ReturningOrder; answer: { connected: number } }
  /** From now on every return is noted. */
  watch: { order: null; answer: null }
  returned: { order: { withinMs: number }; answer: ReturnedAnswer }
  leave: { order: null; answer: null }
}
