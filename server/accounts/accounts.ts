import { randomUUID } from 'node:crypto'
import type {
  DeletionRequest,
  LoginResponse,
  LoginRequest,
  RegistrationResponse,
  RegistrationRequest,
} from '../../contract/accounts.ts'
import { loginFailedStat, loginSuccessStat } from '../../contract/constants.ts'
import { tokenLifetimeMs } from '../../contract/limits.ts'
import { limitedNetworks, networksOf } from '../limits/addresses.ts'
import { createNetworkBuckets } from '../limits/network-buckets.ts'
import { accountKey } from './login/account-key.ts'
import type { LoginLedger } from './login/login-ledger.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { StorageError } from '../base/storage-error.ts'
import type { Account, AccountStore } from './account-store.ts'
import { createAccountAdmin } from './account-admin.ts'
import { rejectInvalidNewPassword, rejectInvalidPassword } from './login/password-rules.ts'
import type { Passwords } from './login/passwords.ts'
import { findAccount, lookupKeys } from './names/find-account.ts'
import { emailKey } from './names/name-key.ts'
import { nameTaken, readNewName, rejectLongName } from './names/new-name.ts'
import type { Sessions } from './sessions/sessions.ts'
import { createToken } from './sessions/tokens.ts'
import { createUserList } from './users/user-list.ts'

/** Decisions of moderation that accounts depend on. */
export interface AccountPolicy {
  isModerator: (accountId: string) => boolean
  /** Throws if this address may not register this name. */
  checkRegistration: (address: string, name: string) => void
  /** Throws if the owner may not delete the account. */
  checkDeletion: (accountId: string) => void
}

interface AccountsDeps {
  store: AccountStore
  passwords: Passwords
  sessions: Sessions
  ledger: LoginLedger
  policy: AccountPolicy
}

/**
 * Rate limit of registration attempts per address. The ledger has a separate limit of registrations, so that attempts with
 * an invalid name do not use up the registrations of a shared address.
 */
export const registrationAttemptRate = { perSecond: 2, burst: 120 }
/** Rate limit of requests for the list of users, per account. The list is long and changes slowly. */
export const listRate = { perSecond: 1, burst: 30 }
/** Rate limit of token checks per address. Each check reads the store before the token is known to be valid. */
const tokenCheckRate = { perSecond: 20, burst: 200 }
/** Rate limit of logins and account deletions per address. It also counts successful calls: each costs a password hash. */
export const loginRate = { perSecond: 0.5, burst: 300 }

const loginRequiredText = 'Please log in first.'

export function createAccounts({ store, passwords, sessions, ledger, policy }: AccountsDeps) {
  const admin = createAccountAdmin({ store, passwords, sessions })
  const registrationAttempts = createNetworkBuckets(registrationAttemptRate)
  const logins = createNetworkBuckets(loginRate)
  const lists = createNetworkBuckets(listRate)
  const tokenChecks = createNetworkBuckets(tokenCheckRate)
  const userList = createUserList(store)

  async function issueToken(accountId: string): Promise<string> {
    const { token, hash } = createToken()
    sessions.publishRevoked(await store.addToken({ hash, accountId, lifetimeMs: tokenLifetimeMs }))
    return token
  }

  /** Returns the session of a token. Throws if the token is not valid, or if the address exceeds the rate limit. */
  async function sessionOf(token: string | null, address: string) {
    rejectIfLimited(tokenChecks.take(limitedNetworks(address), monotonicMs()), 'Too many requests from this address.')
    const session = token === null ? null : await sessions.authenticate(token)
    if (session === null) throw new RejectionError('unauthorized', loginRequiredText)
    return session
  }

  return {
    // The order is length, rate limit, then normalization, because normalization is expensive.
    async register(
      { name: typedName, email, password }: RegistrationRequest,
      address: string,
    ): Promise<RegistrationResponse> {
      rejectLongName(typedName)
      rejectInvalidNewPassword(password)
      const networks = limitedNetworks(address)
      rejectIfLimited(registrationAttempts.take(networks, monotonicMs()), 'Too many registrations from this address.')
      policy.checkRegistration(address, typedName)
      const names = await readNewName(store, typedName)
      rejectIfLimited(await ledger.takeRegistration(networks), 'Too many accounts were created from this address.')
      const id = randomUUID()
      const passwordHash = await passwords.hash(networksOf(address), password)
      const { token, hash } = createToken()
      const outcome = await store.create(
        { id, ...names, email, emailKey: emailKey(email), passwordHash },
        { hash, lifetimeMs: tokenLifetimeMs },
      )
      if (outcome === 'name_taken') throw nameTaken()
      if (outcome === 'email_taken')
        throw new RejectionError('email_taken', 'This e-mail address is already registered.')
      await ledger.addKnownAddress(accountKey(lookupKeys(names.name)), address)
      return { _id: id, name: names.name, email, token }
    },

    async logIn({ name, password }: LoginRequest, address: string): Promise<LoginResponse> {
      rejectInvalidPassword(password)
      rejectIfLimited(logins.take(limitedNetworks(address), monotonicMs()), 'Too many logins from this address.')
      const keys = lookupKeys(name)
      const account = await ledger.guard(accountKey(keys), address, async () => {
        const found = await findAccount(store, keys)
        const matches = await passwords.verify(networksOf(address), found?.passwordHash ?? null, password)
        return matches ? found : null
      })
      if (account === null) return { stat: loginFailedStat }
      // The account may be deleted, renamed or given another password after its password was checked.
      const isCurrent = async () => {
        const current = await findAccount(store, keys)
        return current?.id === account.id && current.passwordHash === account.passwordHash
      }
      const token = await issueToken(account.id).catch(async (error: unknown) => {
        // After a failure of the storage, do not query it again: the query may not finish in time either.
        if (error instanceof StorageError || (await isCurrent())) throw error
        return null
      })
      if (token === null) return { stat: loginFailedStat }
      if (!(await isCurrent())) {
        await sessions.revoke(token)
        return { stat: loginFailedStat }
      }
      const session = { stat: loginSuccessStat, name: account.name, token } as const
      return policy.isModerator(account.id) ? { ...session, role: 'moderator' } : session
    },

    /** Deletes the account of the token. A wrong password counts as a failed login. */
    async deleteOwn(token: string | null, { password }: DeletionRequest, address: string): Promise<void> {
      rejectInvalidPassword(password)
      rejectIfLimited(logins.take(limitedNetworks(address), monotonicMs()), 'Too many logins from this address.')
      const session = token === null ? null : await sessions.authenticate(token)
      if (session === null) throw new RejectionError('unauthorized', loginRequiredText)
      const { account } = session
      const keys = lookupKeys(account.name)
      const owner = await ledger.guard(accountKey(keys), address, async (): Promise<Account | null> => {
        const found = await findAccount(store, keys)
        const passwordHash = found?.id === account.id ? found.passwordHash : null
        return (await passwords.verify(networksOf(address), passwordHash, password)) ? account : null
      })
      if (owner === null) throw new RejectionError('forbidden', 'The password is wrong.')
      policy.checkDeletion(owner.id)
      await admin.remove(owner)
    },

    /** Revokes the token and closes its connections on every node. */
    async logOut(token: string | null, address: string): Promise<void> {
      rejectIfLimited(tokenChecks.take(limitedNetworks(address), monotonicMs()), 'Too many requests from this address.')
      if (token === null || !(await sessions.revoke(token))) throw new RejectionError('unauthorized', loginRequiredText)
    },

    /** Returns the list of users as chunks of JSON. */
    async listUsers(token: string | null, address: string): Promise<AsyncIterable<Buffer | string>> {
      const { account } = await sessionOf(token, address)
      const owner = { address: account.id, site: null, network: null }
      rejectIfLimited(lists.take(owner, monotonicMs()), 'You request the list too often.')
      return userList.chunks()
    },

    /** Clears the cached list of users after accounts were deleted or changed. */
    clearUserList: () => userList.clear(),
  }
}

export type Accounts = ReturnType<typeof createAccounts>

function rejectIfLimited(waitMs: number, message: string): void {
  if (waitMs > 0) throw new RejectionError('rate_limited', message, waitMs)
}
