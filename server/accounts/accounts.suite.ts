import { createLocalBus } from '../bus/cluster-bus.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountPolicy, createAccounts } from './accounts.ts'
import { createMemoryLoginLedger } from './login/login-ledger.ts'
import type { Passwords } from './login/passwords.ts'
import { createSessions } from './sessions/sessions.ts'

/** Policy of a server without moderation. */
export const withoutPolicy: AccountPolicy = {
  isModerator: () => false,
  checkRegistration: () => undefined,
  checkDeletion: () => undefined,
}

/** Creates the accounts of a single node. */
export function createLocalAccounts(store: AccountStore, passwords: Passwords) {
  const sessions = createSessions(store, createLocalBus())
  return createAccounts({ store, passwords, sessions, ledger: createMemoryLoginLedger(), policy: withoutPolicy })
}
