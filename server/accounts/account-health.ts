import type { Report } from '../observe/events.ts'
import { createStorageHealth } from '../observe/storage-health.ts'
import type { AccountStore } from './account-store.ts'

/** Interval of the checks, which detect an outage even if no client logs in. */
const checkEveryMs = 1_000

/** Reports once when accounts become unavailable and once when they are available again. */
export function watchAccounts(store: Pick<AccountStore, 'check'>, report: Report) {
  const health = createStorageHealth(() => store.check(), {
    onFailed: (error) => report({ type: 'accounts-unavailable', error }),
    onRecovered: () => report({ type: 'accounts-available' }),
  })
  const timer = setInterval(() => {
    if (health.state().kind === 'available') void health.isHealthy()
  }, checkEveryMs).unref()

  return {
    isHealthy: () => health.isHealthy(),
    state: () => health.state(),
    stop(): void {
      clearInterval(timer)
      health.stop()
    },
  }
}
