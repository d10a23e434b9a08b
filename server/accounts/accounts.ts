import { randomUUID } from 'node:crypto'
import type { LoginAnswer, LoginRequest, Registered, Registration, UserListed } from '../../contract/accounts.ts'
import { loginFailedStat, loginSuccessStat } from '../../contract/constants.ts'
import { maxNameCharacters, maxPasswordBytes, tokenLifetimeMs } from '../../contract/limits.ts'
import { normalizeName, registeredNameProblem } from '../../contract/names.ts'
import { addressKey, limitKey } from '../limits/addresses.ts'
import { createBucketPerAddress } from '../limits/bucket-per-address.ts'
import { createLoginThrottle, type LoginThrottle } from './login-throttle.ts'
import { RefusalError } from '../refusal-error.ts'
import type { Account, AccountStore } from './account-store.ts'
import { lookKey, looksAnonymous, nameKey } from './name-key.ts'
import type { Passwords } from './passwords.ts'
import { createToken, hashToken } from './tokens.ts'

interface AccountsDeps {
  store: AccountStore
  passwords: Passwords
  loginThrottle?: LoginThrottle
}

/** Per address: what a class of thirty needs at once, then one a minute. */
const registrationsPerSecond = 1 / 60
const registrationBurst = 30
/** Right or wrong: each right one costs a hash and a stored token, and nobody needs them by the thousand. */
const loginsPerSecond = 0.5
const loginBurst = 300

export function createAccounts({ store, passwords, loginThrottle = createLoginThrottle() }: AccountsDeps) {
  const registrations = createBucketPerAddress(registrationsPerSecond, registrationBurst)
  const logins = createBucketPerAddress(loginsPerSecond, loginBurst)

  async function issueToken(accountId: string): Promise<string> {
    const { token, hash } = createToken()
    await store.addToken({ hash, accountId, expiresAtMs: Date.now() + tokenLifetimeMs })
    return token
  }

  return {
    async register({ name: typedName, email, password }: Registration, address: string): Promise<Registered> {
      const name = normalizeName(typedName)
      const problem = registeredNameProblem(name)
      if (problem !== null) throw new RefusalError('invalid', problem)
      if (looksAnonymous(name))
        throw new RefusalError('invalid', 'This name looks like that of somebody not logged in.')
      refuseLongPassword(password)
      const id = randomUUID()
      refuseTooMany(registrations.take(limitKey(address), Date.now()), 'Too many accounts were made from this address.')
      const passwordHash = await passwords.hash(addressKey(address), password)
      const { token, hash } = createToken()
      const outcome = await store.create(
        {
          id,
          name,
          nameKey: nameKey(name),
          lookKey: lookKey(name),
          email,
          emailKey: email.toLowerCase(),
          passwordHash,
        },
        { hash, expiresAtMs: Date.now() + tokenLifetimeMs },
      )
      if (outcome === 'name_taken') throw new RefusalError('name_taken', 'This name is already taken.')
      if (outcome === 'email_taken') throw new RefusalError('email_taken', 'This e-mail address is already registered.')
      return { _id: id, name, email, token }
    },

    async logIn({ name, password }: LoginRequest, address: string): Promise<LoginAnswer> {
      refuseLongPassword(password)
      refuseTooMany(logins.take(limitKey(address), Date.now()), 'Too many logins from this address.')
      const key = keyForLogin(name)
      const account = await loginThrottle.guard(key, address, async () => {
        const found = await store.findForLogin(key)
        const matches = await passwords.verify(addressKey(address), found?.passwordHash ?? null, password)
        return matches ? found : null
      })
      if (account === null) return { stat: loginFailedStat }
      return { stat: loginSuccessStat, name: account.name, token: await issueToken(account.id) }
    },

    /** The account that this token speaks for; `null` when it speaks for none. */
    authenticate(token: string): Promise<Account | null> {
      return store.findByToken(hashToken(token), Date.now())
    },

    revoke: (token: string) => store.revokeToken(hashToken(token)),

    async list(token: string | null): Promise<UserListed[]> {
      const account = token === null ? null : await this.authenticate(token)
      if (account === null) throw new RefusalError('unauthorized', 'Please log in first.')
      return store.list()
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>

function refuseTooMany(waitMs: number, message: string): void {
  if (waitMs > 0) throw new RefusalError('rate_limited', message, waitMs)
}

/** A name that nobody can have is not worked on, but goes the way of every unknown name. */
function keyForLogin(name: string): string {
  return name.length > maxNameCharacters * 4 ? '' : nameKey(name)
}

function refuseLongPassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw new RefusalError('invalid', `The password is longer than ${maxPasswordBytes} bytes.`)
  }
}
