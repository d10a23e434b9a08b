import type { Logger } from 'pino'
import type { AccountStore } from '../account-store.ts'

const everyMs = 3_600_000

/** Removes expired tokens now and then. They are refused anyway; this is for the disk. */
export function sweepTokens(accounts: Pick<AccountStore, 'deleteExpiredTokens'>, log: Logger) {
  const timer = setInterval(() => {
    accounts
      .deleteExpiredTokens(Date.now())
      .catch((error: unknown) => log.warn({ err: error }, 'expired tokens were not removed; trying again'))
  }, everyMs).unref()
  return { stop: () => clearInterval(timer) }
}
