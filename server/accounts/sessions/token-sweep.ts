import type { Report } from '../../observe/events.ts'
import type { AccountStore } from '../account-store.ts'

const everyMs = 3_600_000

/** Deletes expired tokens once an hour, to save disk space. They are rejected anyway. */
export function sweepTokens(accounts: Pick<AccountStore, 'deleteExpiredTokens'>, report: Report) {
  const timer = setInterval(() => {
    accounts.deleteExpiredTokens().catch((error: unknown) => report({ type: 'token-sweep-failed', error }))
  }, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
