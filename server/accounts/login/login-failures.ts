import { putNewest } from '../../base/newest-entries.ts'
import { type BackOff, failureLifetimeMs } from './login-limits.ts'

interface Failures {
  count: number
  lastMs: number
}

const sweepEveryMs = 60_000
export const maxFailureEntries = 20_000

/** Counts recent failures by key. */
export function createFailureCounter() {
  // The map is ordered by the time of the last failure, the oldest first.
  const failures = new Map<string, Failures>()
  let sweptAtMs = 0

  function sweep(nowMs: number): void {
    if (Math.abs(nowMs - sweptAtMs) < sweepEveryMs) return
    sweptAtMs = nowMs
    for (const [oldest, { lastMs }] of failures) {
      if (nowMs - lastMs < failureLifetimeMs) break
      failures.delete(oldest)
    }
  }

  function find(key: string, nowMs: number): Failures | undefined {
    const known = failures.get(key)
    return known !== undefined && nowMs - known.lastMs < failureLifetimeMs ? known : undefined
  }

  return {
    count: (key: string, nowMs: number) => find(key, nowMs)?.count ?? 0,

    waitMs(key: string, { freeFailures, firstWaitMs, maxWaitMs }: BackOff, nowMs: number): number {
      const known = find(key, nowMs)
      if (known === undefined || known.count < freeFailures) return 0
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** (known.count - freeFailures))
      return Math.max(0, known.lastMs + waitMs - nowMs)
    },

    add(key: string, nowMs: number): void {
      putNewest(failures, key, { count: (find(key, nowMs)?.count ?? 0) + 1, lastMs: nowMs }, maxFailureEntries)
      sweep(nowMs)
    },

    clear: (key: string) => failures.delete(key),
    size: () => failures.size,
  }
}
