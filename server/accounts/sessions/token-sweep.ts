import { sweepHourly } from '../../base/hourly-sweep.ts'
import type { Report } from '../../observe/events.ts'
import type { AccountStore } from '../account-store.ts'
import type { Sessions } from './sessions.ts'

interface TokenSweepDeps {
  store: Pick<AccountStore, 'deleteExpired'>
  sessions: Pick<Sessions, 'closeExpired'>
  report: Report
}

/**
 * Deletes expired tokens and reservations of names, and closes the connections of expired tokens, at the start and once
 * an hour.
 */
export function sweepTokens({ store, sessions, report }: TokenSweepDeps) {
  return sweepHourly(
    async () => {
      try {
        await store.deleteExpired()
      } finally {
        // Lookups may succeed while the deletion fails, for example because another transaction locks the rows.
        await sessions.closeExpired()
      }
    },
    (error) => report({ type: 'token-sweep-failed', error }),
  )
}
