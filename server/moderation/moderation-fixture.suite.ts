import { randomUUID } from 'node:crypto'
import type { AccountStore } from '../accounts/account-store.ts'
import type { ChangeRecord, ModerationStore, NewRestriction } from './moderation-store.ts'

/** Database of one store. A test can open the store more than once. */
export interface ModerationStoreFixture {
  open(): Promise<AccountStore & { moderation: ModerationStore }>
  /** Runs an SQL statement on the database of the open store. */
  execute(statement: string): Promise<void>
  remove(): void
}

export const byOperator: ChangeRecord = {
  actor: { kind: 'operator' },
  action: 'a test',
  target: 'target',
  targetId: null,
  reason: null,
}
export const lifetimeMs = 3_600_000

const restrictionOf = (target: Pick<NewRestriction, 'accountId' | 'network'>): NewRestriction =>
  ({ id: randomUUID(), kind: 'ban', includesLoopback: false, name: 'bob', reason: 'spam', ...target }) as NewRestriction
export const ofNetwork = (network: string) => restrictionOf({ accountId: null, network })
export const ofAccount = (accountId: string) => restrictionOf({ accountId, network: null })
