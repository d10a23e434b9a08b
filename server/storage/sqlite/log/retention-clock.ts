/** Within this time after a start a clock that was wrong at the start may still be corrected. */
const clockGraceMs = 3_600_000
const toleranceMs = 60_000

interface Clocks {
  wallMs: () => number
  monotonicMs: () => number
}

/**
 * The time by which messages grow old. It passes as time passes, whatever is done to the machine's clock meanwhile: a
 * clock that jumps by a month must not make yesterday's messages a month old and have them trimmed away in minutes. The
 * machine's clock is asked once, at the start; should that leap far beyond the newest message, then what is stored
 * already does not age by the leap until the clock has had an hour to be corrected.
 */
export function createRetentionClock({ wallMs, monotonicMs }: Clocks, newestStoredAtMs: number | null) {
  const startedMs = monotonicMs()
  const newest = newestStoredAtMs ?? wallMs()
  let anchor = Math.max(wallMs(), newest)
  const elapsedMs = () => monotonicMs() - startedMs
  const now = () => anchor + elapsedMs()
  const inGrace = () => elapsedMs() < clockGraceMs

  return {
    now,
    /** What ages are counted from. */
    trimNow: () => (inGrace() && anchor - newest > clockGraceMs ? newest + elapsedMs() : now()),
    /** Whether the clock was corrected after a start with a wrong one: what was stored since is then from the future. */
    followCorrection(): boolean {
      const corrected = wallMs()
      const startWasWrong = inGrace() && now() - corrected > toleranceMs && corrected >= newest
      if (startWasWrong) anchor = corrected - elapsedMs()
      return startWasWrong
    },
  }
}
