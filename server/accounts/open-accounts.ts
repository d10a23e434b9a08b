import type { ClusterBus } from '../bus/cluster-bus.ts'
import type { ModuleContext } from '../observe/module-context.ts'
import { watchAccounts } from './account-health.ts'
import { createAccountAdmin } from './account-admin.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountPolicy, createAccounts } from './accounts.ts'
import type { LoginLedger } from './login/login-ledger.ts'
import { createPasswords } from './login/passwords.ts'
import { createSessions } from './sessions/sessions.ts'
import { sweepTokens } from './sessions/token-sweep.ts'

interface AccountsModuleDeps {
  store: AccountStore
  ledger: LoginLedger
  bus: ClusterBus
  policy: AccountPolicy
}

/** Opens accounts: registration, login, sessions and the list of users. */
export function openAccounts({ report, resources }: ModuleContext, { store, ledger, bus, policy }: AccountsModuleDeps) {
  const sessions = createSessions(store, bus)
  resources.defer(() => sessions.stop())
  const passwords = createPasswords()
  const admin = createAccountAdmin({ store, passwords, sessions })
  const accounts = createAccounts({ store, passwords, sessions, ledger, policy })
  bus.subscribe(({ kind }) => {
    if (kind === 'users-changed') accounts.clearUserList()
  })
  const health = watchAccounts(store, report)
  resources.defer(() => health.stop())
  resources.defer(sweepTokens({ store, sessions, report }).stop)
  return { accounts, admin, sessions, health }
}
