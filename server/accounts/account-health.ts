import type { Logger } from 'pino'
import { createStorageHealth } from '../observe/storage-health.ts'
import type { AccountStore } from './account-store.ts'

/** So that their absence is told although nobody logs in or asks. */
const checkEveryMs = 1_000

interface WatchDeps {
  metrics: { accountsAre: (areUp: boolean) => void }
  log: Logger
}

/** Tells the operator when accounts go away and when they come back, once each. */
export function watchAccounts(store: Pick<AccountStore, 'check'>, { metrics, log }: WatchDeps) {
  const health = createStorageHealth(() => store.check(), {
    onFailed(error) {
      metrics.accountsAre(false)
      log.error({ err: error }, 'accounts cannot be reached; logins and registrations are refused')
    },
    onRecovered() {
      metrics.accountsAre(true)
      log.info('accounts can be reached again')
    },
  })
  const timer = setInterval(() => {
    if (!health.hasFailed()) void health.isWell()
  }, checkEveryMs).unref()

  return {
    isWell: () => health.isWell(),
    hasFailed: () => health.hasFailed(),
    stop(): void {
      clearInterval(timer)
      health.stop()
    },
  }
}
