import { sweepHourly } from '../../base/hourly-sweep.ts'
import type { Report } from '../../observe/events.ts'
import type { AccountStore } from '../account-store.ts'
import type { Sessions } from './sessions.ts'

/**
 * Deletes expired tokens and reservations of names at the start and once an hour, and closes the connections of these
 * tokens on all nodes. No later change of the account could close them, because it finds no token.
 */
export function sweepTokens(
  accounts: Pick<AccountStore, 'deleteExpired'>,
  { publishRevoked }: Pick<Sessions, 'publishRevoked'>,
  report: Report,
) {
  return sweepHourly(
    async () => publishRevoked(await accounts.deleteExpired()),
    (error) => report({ type: 'token-sweep-failed', error }),
  )
}
