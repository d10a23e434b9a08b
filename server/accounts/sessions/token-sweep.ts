import { sweepHourly } from '../../base/hourly-sweep.ts'
import type { Report } from '../../observe/events.ts'
import type { AccountStore } from '../account-store.ts'

/**
 * Deletes expired tokens and reservations of names at the start and once an hour. Expired ones have no effect, so the
 * sweep only frees space.
 */
export function sweepTokens(accounts: Pick<AccountStore, 'deleteExpired'>, report: Report) {
  return sweepHourly(
    () => accounts.deleteExpired(),
    (error) => report({ type: 'token-sweep-failed', error }),
  )
}
