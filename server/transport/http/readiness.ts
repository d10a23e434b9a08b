import type { StorageHealth } from '../../observe/storage-health.ts'
import type { Readiness } from './health-routes.ts'

interface ReadinessDeps {
  isDraining: () => boolean
  isWritable: () => Promise<boolean>
  accounts: Pick<StorageHealth, 'isHealthy' | 'state'>
  isReadyWithoutAccounts: boolean
}

/**
 * Creates the readiness check. A node is ready if it does not drain, can store messages, and has accounts where they are
 * required.
 */
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
