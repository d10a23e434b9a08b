import type { StorageHealth } from '../../observe/storage-health.ts'
import type { Readiness } from './health-routes.ts'

interface ReadinessDeps {
  isDraining: () => boolean
  isWritable: () => Promise<boolean>
  accounts: Pick<StorageHealth, 'isHealthy' | 'state'>
  isReadyWithoutAccounts: boolean
}

/** Returns the check behind the readiness probe. */
export function createReadinessCheck({ isDraining, isWritable, accounts, isReadyWithoutAccounts }: ReadinessDeps) {
  return async (): Promise<Readiness> => {
    const [canWrite, hasAccounts] = await Promise.all([
      isWritable(),
      // Where accounts are optional, a database that does not respond must not delay the probe.
      isReadyWithoutAccounts ? accounts.state().kind === 'available' : accounts.isHealthy(),
    ])
    return { isReady: !isDraining() && canWrite && (hasAccounts || isReadyWithoutAccounts), hasAccounts }
  }
}
