const stormKinds = ['pages', 'plain'] as const
/**
 * Kind of a join storm. `pages`: half of the sockets receive presence deltas, and the other half receive messages.
 * `plain`: all sockets connect without `auth`.
 */
export type JoinStormKind = (typeof stormKinds)[number]

export interface JoinStormRequest {
  kind: JoinStormKind
  port: number
  sockets: number
  concurrency: number
  /** Number of connections of other processes. Every presence list must contain them too. */
  otherConnections: number
}

interface JoinStormResponse {
  durationMs: number
  /** Number of connection attempts that the server rejected as busy and the driver repeated. */
  rejectedAttempts: number
}

export interface PresenceResponse {
  presenceClients: number
  /** Number of connections whose list was correct before the deadline. */
  correct: number
  /** Time from when the last connection was ready until the last list was correct. */
  correctAfterMs: number
  presenceBytes: number
  versionGaps: number
}

export interface JoinStormCalls {
  join: { request: JoinStormRequest; response: JoinStormResponse }
  waitForPresence: { request: { timeoutMs: number; isFixedDuration?: boolean }; response: PresenceResponse }
  disconnect: { request: null; response: null }
}
