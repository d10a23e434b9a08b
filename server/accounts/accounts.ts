import { randomUUID } from 'node:crypto'
import type { LoginAnswer, LoginRequest, Registered, Registration, UserListed } from '../../contract/accounts.ts'
import { loginFailedStat, loginSuccessStat } from '../../contract/constants.ts'
import { maxPasswordBytes, tokenLifetimeMs } from '../../contract/limits.ts'
import { normalizeName, registeredNameProblem } from '../../contract/names.ts'
import { Refused } from '../refused.ts'
import type { Account, AccountStore } from './account-store.ts'
import { lookKey, looksAnonymous, nameKey } from './name-key.ts'
import type { Passwords } from './passwords.ts'
import { createToken, hashToken } from './tokens.ts'

interface AccountsDeps {
  store: AccountStore
  passwords: Passwords
}

export function createAccounts({ store, passwords }: AccountsDeps) {
  async function issueToken(accountId: string): Promise<string> {
    const { token, hash } = createToken()
    await store.addToken({ hash, accountId, expiresAtMs: Date.now() + tokenLifetimeMs })
    return token
  }

  return {
    async register({ name: typedName, email, password }: Registration): Promise<Registered> {
      const name = normalizeName(typedName)
      const problem = registeredNameProblem(name)
      if (problem !== null) throw new Refused('invalid', problem)
      if (looksAnonymous(name)) throw new Refused('invalid', 'This name looks like that of somebody not logged in.')
      refuseLongPassword(password)
      const id = randomUUID()
      const passwordHash = await passwords.hash(password)
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
      if (outcome === 'name_taken') throw new Refused('name_taken', 'This name is already taken.')
      if (outcome === 'email_taken') throw new Refused('email_taken', 'This e-mail address is already registered.')
      return { _id: id, name, email, token }
    },

    async logIn({ name, password }: LoginRequest): Promise<LoginAnswer> {
      refuseLongPassword(password)
      const account = await store.findForLogin(nameKey(name))
      const matches = await passwords.verify(account?.passwordHash ?? null, password)
      if (account === null || !matches) return { stat: loginFailedStat }
      return { stat: loginSuccessStat, name: account.name, token: await issueToken(account.id) }
    },

    /** The account that this token speaks for; `null` when it speaks for none. */
    authenticate(token: string): Promise<Account | null> {
      return store.findByToken(hashToken(token), Date.now())
    },

    revoke: (token: string) => store.revokeToken(hashToken(token)),

    async list(token: string | null): Promise<UserListed[]> {
      const account = token === null ? null : await this.authenticate(token)
      if (account === null) throw new Refused('unauthorized', 'Please log in first.')
      return store.list()
    },
  }
}

export type Accounts = ReturnType<typeof createAccounts>

function refuseLongPassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw new Refused('invalid', `The password is longer than ${maxPasswordBytes} bytes.`)
  }
}
