import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'

export interface Timing {
  backOff: { baseMs: number; capMs: number }
  /** An attempt that has not connected by then is given up. */
  connectTimeoutMs: number
  /** A connection that lasted this long starts the back-off anew when it is lost. */
  stableAfterMs: number
  /**
   * The server pings more often than this: a longer silence means that the connection is dead. Asked when the page wakes;
   * while it is awake Socket.IO itself gives up, after as long, by what the server tells it (`contract/limits.ts`).
   */
  maxSilenceMs: number
  /** How long to wait for the `cursor` that opens a connection, before sending without it. */
  cursorTimeoutMs: number
  /** A message that is not acknowledged by then is repeated. */
  ackTimeoutMs: number
  /** A `resume` or resync that is not answered by then is put again over a new connection. */
  responseTimeoutMs: number
  /** A restart that takes this much longer than announced is a lost connection. */
  restartGraceMs: number
  /** Ticks that stay away for three times this long were slept through. */
  sleepCheckMs: number
  /** What came in is drawn at once, then not again for this long. */
  publishPauseMs: number
  /** How often a hidden page, where no frames run, shows what it received. */
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
