/**
 * Time after the start in which a wrong system clock may still be corrected, for example by NTP. A clock that is ahead of
 * the newest message by more than this time may be wrong.
 */
const clockGraceMs = 3_600_000
const toleranceMs = 60_000

interface Clocks {
  wallMs: () => number
  monotonicMs: () => number
}

/**
 * Creates the clock for the age of messages. It starts at the time of the system clock, or of the newest stored message
 * if that is later. It then advances with monotonic time, except for a correction (`followCorrection`). A system clock
 * that jumps ahead by a month must not expire yesterday's messages. If the system clock at the start is far ahead of
 * the newest message, stored messages do not age by that difference until the grace period ends.
 */
export function createRetentionClock({ wallMs, monotonicMs }: Clocks, newestStoredAtMs: number | null) {
  const startedMs = monotonicMs()
  const newest = newestStoredAtMs ?? wallMs()
  let anchor = Math.max(wallMs(), newest)
  const elapsedMs = () => monotonicMs() - startedMs
  const now = () => anchor + elapsedMs()
  const isInGracePeriod = () => elapsedMs() < clockGraceMs

  return {
    now,
    /** Returns the current time for computing the age of a message. */
    trimNow: () => (isInGracePeriod() && anchor - newest > clockGraceMs ? newest + elapsedMs() : now()),
    /**
     * Adopts the system clock when it was set back after a start with a wrong time. Returns whether the clock was
     * adopted: messages stored since the start then have a time in the future.
     */
    followCorrection(): boolean {
      const corrected = wallMs()
      const wasStartWrong = isInGracePeriod() && now() - corrected > toleranceMs && corrected >= newest
      if (wasStartWrong) anchor = corrected - elapsedMs()
      return wasStartWrong
    },
  }
}
