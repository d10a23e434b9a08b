import { randomUUID } from 'node:crypto'
import type { LoginResponse, LoginRequest, RegistrationResponse, RegistrationRequest } from '../../contract/accounts.ts'
import { loginFailedStat, loginSuccessStat } from '../../contract/constants.ts'
import {
  countCharacters,
  maxStoredNameCharacters,
  maxNameCharacters,
  maxPasswordBytes,
  maxTypedNameUnits,
  tokenLifetimeMs,
} from '../../contract/limits.ts'
import { normalizeName, findNameProblem } from '../../contract/names.ts'
import { limitedNetworks, networksOf } from '../limits/addresses.ts'
import { createNetworkBuckets } from '../limits/network-buckets.ts'
import type { LoginLedger } from './login/login-ledger.ts'
import { monotonicMs } from '../base/monotonic-ms.ts'
import { RejectionError } from '../base/rejection-error.ts'
import type { AccountStore } from './account-store.ts'
import { exactNameKey, lookKey, looksAnonymous, nameKey } from './names/name-key.ts'
import { findScriptProblem } from './names/name-scripts.ts'
import type { Passwords } from './login/passwords.ts'
import type { Sessions } from './sessions/sessions.ts'
import { createToken } from './sessions/tokens.ts'
import { createUserList } from './users/user-list.ts'

interface AccountsDeps {
  store: AccountStore
  passwords: Passwords
  sessions: Sessions
  ledger: LoginLedger
}

/** Counts every attempt, so that attempts with an invalid name do not use up the registrations of a shared address. */
export const registrationAttemptRate = { perSecond: 2, burst: 120 }
/** Per account, from any address. The list is long and changes slowly. */
export const listRate = { perSecond: 1, burst: 30 }
/** Per address. Each check reads the store before the token is known to be valid. */
const tokenCheckRate = { perSecond: 20, burst: 200 }
/** Counts successful logins too, because each costs a password hash and a stored token. */
export const loginRate = { perSecond: 0.5, burst: 300 }

const nameTakenText = 'This name is already taken.'
const loginRequiredText = 'Please log in first.'
/** Key that counts the failed logins with overlong names. A login with one fails like one with an unknown name. */
const overlongName = ''

export function createAccounts({ store, passwords, sessions, ledger }: AccountsDeps) {
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

  return {
    // The order is length, rate limit, then normalization, because normalization is expensive.
    async register(
      { name: typedName, email, password }: RegistrationRequest,
      address: string,
    ): Promise<RegistrationResponse> {
      rejectLongName(typedName)
      rejectInvalidPassword(password)
      const networks = limitedNetworks(address)
      rejectIfLimited(registrationAttempts.take(networks, monotonicMs()), 'Too many registrations from this address.')
      const name = normalizeName(typedName)
      const problem = findNameProblem(name)
      if (problem !== null) throw new RejectionError('invalid', problem)
      if (looksAnonymous(name))
        throw new RejectionError('invalid', 'This name looks like the name of an anonymous user.')
      const keys = { nameKey: nameKey(name), lookKey: lookKey(name) }
      const scriptProblem = findScriptProblem(name)
      if (scriptProblem !== null) {
        if (await store.isNameTaken(keys)) throw new RejectionError('name_taken', nameTakenText)
        throw new RejectionError('invalid', scriptProblem)
      }
      rejectIfLimited(await ledger.takeRegistration(networks), 'Too many accounts were created from this address.')
      const id = randomUUID()
      const passwordHash = await passwords.hash(networksOf(address), password)
      const { token, hash } = createToken()
      const outcome = await store.create(
        {
          id,
          name,
          ...keys,
          email,
          emailKey: email.toLowerCase(),
          passwordHash,
        },
        { hash, lifetimeMs: tokenLifetimeMs },
      )
      if (outcome === 'name_taken') throw new RejectionError('name_taken', nameTakenText)
      if (outcome === 'email_taken')
        throw new RejectionError('email_taken', 'This e-mail address is already registered.')
      await ledger.addKnownAddress(keys.nameKey, address)
      return { _id: id, name, email, token }
    },

    async logIn({ name, password }: LoginRequest, address: string): Promise<LoginResponse> {
      rejectInvalidPassword(password)
      rejectIfLimited(logins.take(limitedNetworks(address), monotonicMs()), 'Too many logins from this address.')
      const keys = loginKeys(name)
      const account = await ledger.guard(keys?.name ?? overlongName, address, async () => {
        const found =
          keys === null ? null : ((await store.findForLogin(keys.exact)) ?? (await store.findForLogin(keys.name)))
        const matches = await passwords.verify(networksOf(address), found?.passwordHash ?? null, password)
        return matches ? found : null
      })
      if (account === null) return { stat: loginFailedStat }
      return { stat: loginSuccessStat, name: account.name, token: await issueToken(account.id) }
    },

    /** Revokes the token and closes its connections on every node. */
    async logOut(token: string | null, address: string): Promise<void> {
      rejectIfLimited(tokenChecks.take(limitedNetworks(address), monotonicMs()), 'Too many requests from this address.')
      if (token === null || !(await sessions.revoke(token))) throw new RejectionError('unauthorized', loginRequiredText)
    },

    /** Returns the list of users as chunks of JSON. */
    async listUsers(token: string | null, address: string): Promise<AsyncIterable<Buffer | string>> {
      rejectIfLimited(tokenChecks.take(limitedNetworks(address), monotonicMs()), 'Too many requests from this address.')
      const session = token === null ? null : await sessions.authenticate(token)
      if (session === null) throw new RejectionError('unauthorized', loginRequiredText)
      const owner = { address: session.account.id, site: null, network: null }
      rejectIfLimited(lists.take(owner, monotonicMs()), 'You request the list too often.')
      return userList.chunks()
    },

    /** Makes deleted and changed accounts visible in the list of users. */
    clearUserList: () => userList.clear(),
  }
}

export type Accounts = ReturnType<typeof createAccounts>

function rejectIfLimited(waitMs: number, message: string): void {
  if (waitMs > 0) throw new RejectionError('rate_limited', message, waitMs)
}

/** Returns the keys under which an account can be found, or `null` for a name that is too long for any account. */
function loginKeys(typedName: string): { name: string; exact: string } | null {
  if (typedName.length > maxTypedNameUnits) return null
  // Normalization can turn one character into eighteen.
  const name = normalizeName(typedName)
  if (countCharacters(name) > maxStoredNameCharacters) return null
  const key = nameKey(name)
  return { name: key, exact: exactNameKey(key, name) }
}

/** Checks the length before normalization, which can shorten the name. */
function rejectLongName(typedName: string): void {
  if (typedName.length > maxTypedNameUnits) {
    throw new RejectionError('invalid', `The name is longer than ${maxNameCharacters} characters.`)
  }
}

function rejectInvalidPassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw new RejectionError('invalid', `The password is longer than ${maxPasswordBytes} bytes.`)
  }
  // UTF-8 encodes every lone surrogate as the same replacement character, so different passwords would match.
  if (!password.isWellFormed()) throw new RejectionError('invalid', 'The password is not valid Unicode text.')
}
