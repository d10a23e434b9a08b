import { randomBytes } from 'node:crypto'
import { RejectionError } from '../base/rejection-error.ts'
import { networksOf } from '../limits/addresses.ts'
import type { Account, AccountStore, ExportedAccount } from './account-store.ts'
import { rejectInvalidNewPassword } from './login/password-rules.ts'
import type { Passwords } from './login/passwords.ts'
import { findAccount, lookupKeys } from './names/find-account.ts'
import { emailKey, nameKey } from './names/name-key.ts'
import { nameTaken, readNewName, rejectLongName } from './names/new-name.ts'
import type { Sessions } from './sessions/sessions.ts'

interface AccountAdminDeps {
  store: AccountStore
  passwords: Passwords
  sessions: Sessions
}

/** Time for which the name of a deleted account, or the old name of a renamed one, is reserved. */
const nameReservationMs = 30 * 24 * 3_600_000
const reservation = { durationMs: nameReservationMs }
/** Address to which the password hash queue attributes the hashes that the operator requests. */
const operatorAddress = '127.0.0.1'
const generatedPasswordBytes = 15

/** Creates the operations on existing accounts: those of the operator, and the deletion by the owner. */
export function createAccountAdmin({ store, passwords, sessions }: AccountAdminDeps) {
  async function find(name: string): Promise<Account> {
    const account = await findAccount(store, lookupKeys(name))
    if (account === null) throw new RejectionError('not_found', `There is no account with the name ${name}.`)
    return { id: account.id, name: account.name }
  }

  return {
    find,

    /** Returns users in the order of registration. `search` is a part of the name or e-mail address. */
    async list(search: string | null, afterOrder: number, maxUsers: number) {
      if (search === null) return store.listPage(afterOrder, maxUsers)
      if (search.includes('\0')) throw new RejectionError('invalid', 'The search text contains a NUL character.')
      return store.listPage(afterOrder, maxUsers, { nameKey: nameKey(search), emailKey: emailKey(search) })
    },

    count: () => store.countUsers(),

    /** Returns the stored data of the account, without secrets. */
    async export({ id }: Account): Promise<ExportedAccount> {
      const exported = await store.exportAccount(id)
      if (exported === null) throw new RejectionError('not_found', 'The account was deleted meanwhile.')
      return exported
    },

    async listSessions({ id }: Account): Promise<{ expiresAtMs: number }[]> {
      return (await store.listTokens(id)).map(({ expiresAtMs }) => ({ expiresAtMs }))
    },

    /** Ends all sessions and closes their connections on every node. Returns the number of deleted tokens, including expired ones. */
    revokeSessions: ({ id }: Account) => sessions.revokeAll(id, () => store.revokeTokens(id)),

    /** Deletes the account, ends its sessions and connections on every node, and reserves its name. */
    async remove({ id }: Account): Promise<void> {
      await sessions.revokeAll(id, () => store.deleteAccount(id, reservation))
      sessions.publishUsersChanged()
    },

    /**
     * Renames the account, and ends its sessions, because open connections would keep the old name. Calls `record` after
     * the checks and before the change.
     */
    async rename({ id }: Account, typedName: string, record: () => Promise<void>): Promise<string> {
      rejectLongName(typedName)
      const names = await readNewName(store, typedName)
      // `revokeAll` closes the connections of the account before the change, so reject the name first.
      if (await store.isNameTaken(names, id)) throw nameTaken()
      await record()
      await sessions.revokeAll(id, async () => {
        const outcome = await store.rename(id, names, reservation)
        if (outcome === 'name_taken') throw nameTaken()
        if (outcome === 'not_found') throw new RejectionError('not_found', 'The account was deleted meanwhile.')
        return store.revokeTokens(id)
      })
      sessions.publishUsersChanged()
      return names.name
    },

    /**
     * Sets a password, and ends the sessions. Without a given password, generates one and returns it. Calls `record` after
     * the checks and before the change.
     */
    async resetPassword({ id }: Account, given: string | null, record: () => Promise<void>): Promise<string | null> {
      const generated = given === null ? randomBytes(generatedPasswordBytes).toString('base64url') : null
      const password = given ?? generated ?? ''
      rejectInvalidNewPassword(password)
      const hash = await passwords.hash(networksOf(operatorAddress), password)
      await record()
      await sessions.revokeAll(id, async () => {
        // The hash is stored before the tokens are deleted, because `logIn` checks the password again after it has
        // stored a token.
        if (!(await store.setPasswordHash(id, hash)))
          throw new RejectionError('not_found', 'The account was deleted meanwhile.')
        return store.revokeTokens(id)
      })
      return generated
    },
  }
}

export type AccountAdmin = ReturnType<typeof createAccountAdmin>
