import { putNewest } from '../limits/newest-entries.ts'

/** Failures that cost nothing, then a wait that doubles with each further one. */
export interface BackOff {
  freeFailures: number
  firstWaitMs: number
  maxWaitMs: number
}

interface Failures {
  count: number
  lastMs: number
}

/** Failures are forgotten this long after the last one; the longest wait is over long before. */
const forgetAfterMs = 24 * 3_600_000
const sweepEveryMs = 60_000
const maxRemembered = 20_000

/** How often something failed, by key. */
export function createFailures() {
  // The first entry is the one that failed longest ago.
  const failures = new Map<string, Failures>()
  let sweptAtMs = 0

  function sweep(nowMs: number): void {
    if (Math.abs(nowMs - sweptAtMs) < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const [oldest, { lastMs }] of failures) {
      if (nowMs - lastMs < forgetAfterMs) break
      failures.delete(oldest)
    }
  }

  return {
    count: (key: string) => failures.get(key)?.count ?? 0,

    waitMs(key: string, { freeFailures, firstWaitMs, maxWaitMs }: BackOff, nowMs: number): number {
      const known = failures.get(key)
      if (known === undefined || known.count < freeFailures) return 0
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (known.count - freeFailures))
      return Math.max(0, known.lastMs + waitMs - nowMs)
    },

    note(key: string, nowMs: number): void {
      putNewest(failures, key, { count: (failures.get(key)?.count ?? 0) + 1, lastMs: nowMs }, maxRemembered)
      sweep(nowMs)
    },

    clear: (key: string) => failures.delete(key),
    size: () => failures.size,
  }
}
