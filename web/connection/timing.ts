import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'

export interface Timing {
  backOff: { baseMs: number; capMs: number }
  /** Timeout of one connection attempt. */
  connectTimeoutMs: number
  /** Minimum lifetime of a connection that resets the back-off. */
  stableAfterMs: number
  /**
   * Maximum time without a ping before the page treats a connection as dead. The page checks this limit when the page
   * wakes; otherwise Socket.IO applies the same limit, with the values that the server sends (`contract/limits.ts`).
   */
  maxSilenceMs: number
  /** Maximum wait for the first `cursor` event. After this time, the page sends messages anyway. */
  cursorTimeoutMs: number
  /** Time after which the page sends an unacknowledged message again. Also the timeout of a moderator's action. */
  ackTimeoutMs: number
  /** Timeout of a `resume` or resync request. The page then reconnects. */
  responseTimeoutMs: number
  /** Time after the announced end of a restart, after which the page no longer reports the restart. */
  restartGraceMs: number
  /** Interval of the sleep check. More than three intervals between two ticks mean that the device slept. */
  sleepCheckMs: number
  /** Minimum pause between two updates of the page. */
  publishPauseMs: number
  /** Delay of an update in a hidden page, which gets no animation frames. */
  hiddenPublishIntervalMs: number
}

export const defaultTiming: Timing = {
  backOff: { baseMs: 500, capMs: 5_000 },
  connectTimeoutMs: 10_000,
  stableAfterMs: 5_000,
  maxSilenceMs: pingIntervalMs + pingTimeoutMs,
  cursorTimeoutMs: 1_000,
  ackTimeoutMs: 10_000,
  responseTimeoutMs: 10_000,
  restartGraceMs: 15_000,
  sleepCheckMs: 5_000,
  publishPauseMs: 120,
  hiddenPublishIntervalMs: 1_000,
}
