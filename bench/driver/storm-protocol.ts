const stormKinds = ['pages', 'plain'] as const
/** `pages`: half the sockets for presence with deltas, half for messages. `plain`: every socket says nothing in `auth`. */
export type StormKind = (typeof stormKinds)[number]

export interface StormOrder {
  kind: StormKind
  port: number
  sockets: number
  concurrency: number
  /** Connections of others, which must stand in every list too. */
  others: number
}

interface StormAnswer {
  tookMs: number
  /** Attempts that the server refused because it was busy; each was made again. */
  turnedAway: number
}

export interface SettleAnswer {
  listeners: number
  /** Connections whose list was right before the deadline. */
  right: number
  /** From the last connection being ready to the last list being right. */
  rightAfterMs: number
  presenceBytes: number
  lists: number
  deltas: number
  versionGaps: number
}

export interface StormCalls {
  join: { order: StormOrder; answer: StormAnswer }
  settle: { order: { withinMs: number; onlyBytes?: boolean }; answer: SettleAnswer }
  leave: { order: null; answer: null }
}
