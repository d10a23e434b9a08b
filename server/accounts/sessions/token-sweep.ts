import type { Report } from '../../observe/events.ts'
import type { AccountStore } from '../account-store.ts'

const everyMs = 3_600_000

/**
 * Deletes expired tokens and reservations of names once an hour. Expired ones have no effect, so the sweep only frees
 * space.
 */
export function sweepTokens(accounts: Pick<AccountStore, 'deleteExpired'>, report: Report) {
  const timer = setInterval(() => {
    accounts.deleteExpired().catch((error: unknown) => report({ type: 'token-sweep-failed', error }))
  }, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
