import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { StorageError } from '../base/storage-error.ts'
import {
  type AccountStoreFixture,
  account,
  expiresAt,
  later,
  tokenOf,
  useAccountStore,
  usersIn,
} from './account-fixture.suite.ts'
import { type AccountStore, expiredTokenKeptMs, maxTokensPerAccount } from './account-store.ts'
import { lookKey, nameKey } from './names/name-key.ts'

/** Lookups by a key that derives from typed text. The only other lookup, `findByToken`, takes a hash. */
type Lookup = Exclude<Extract<keyof AccountStore, `find${string}`>, 'findByToken'>
const lookups = Object.keys({ findForLogin: true } satisfies Record<Lookup, true>) as Lookup[]

/** Defines the tests of the `AccountStore` interface. Run them for each implementation. */
export function describeAccountStore(name: string, createFixture: () => AccountStoreFixture): void {
  describe(`an account store on ${name}`, () => {
    let store: AccountStore
    const { reopen } = useAccountStore(createFixture, (opened) => {
      store = opened
    })

    test('API-1 an account is created with its first token, and a login finds it by its key', async () => {
      const alice = account('Alice', { nameKey: 'alice' })
      expect(await store.create(alice, tokenOf('t'))).toBe('created')
      expect(await store.findForLogin('alice')).toStrictEqual({
        id: alice.id,
        name: 'Alice',
        passwordHash: 'hash of Alice',
      })
      expect(await store.findForLogin('Alice')).toBeNull()
      expect(await store.isNameTaken({ nameKey: 'alice', lookKey: 'other' }, null)).toBe(true)
      expect(await store.isNameTaken({ nameKey: 'Alice', lookKey: 'other' }, null)).toBe(false)
      expect(await store.findByToken('t', 1_000)).toStrictEqual({ id: alice.id, name: 'Alice' })
    })

    test('API-1 a registration with a taken name or e-mail stores neither the account nor its token', async () => {
      await store.create(account('alice'), tokenOf('first'))
      const sameName = account('alice', { lookKey: 'other', email: 'a@b.c', emailKey: 'a@b.c' })
      const sameLook = account('a1ice', { lookKey: 'alice', email: 'a@b.c', emailKey: 'a@b.c' })
      const sameEmail = account('bob', { emailKey: 'alice@example.org' })
      expect(await store.create(sameName, tokenOf('second'))).toBe('name_taken')
      expect(await store.create(sameLook, tokenOf('look'))).toBe('name_taken')
      expect(await store.create(sameEmail, tokenOf('third'))).toBe('email_taken')
      expect(await store.create(account('alice'), tokenOf('fourth'))).toBe('name_taken')
      expect(await usersIn(store)).toHaveLength(1)
      for (const hash of ['second', 'look', 'third', 'fourth']) expect(await store.findByToken(hash, 0)).toBeNull()
    })

    test('API-1 creating an account whose id exists is an error, not a taken name or e-mail', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('first'))
      await expect(store.create({ ...account('bob'), id: alice.id }, tokenOf('second'))).rejects.toThrow()
      expect(await store.findByToken('second', 0)).toBeNull()
    })

    test('NAMES-1 names that differ in accents are different names; an accent in two encodings gives the same name', async () => {
      const named = (name: string, email: string) =>
        account(name, { nameKey: nameKey(name), lookKey: lookKey(name), emailKey: email })
      expect(await store.create(named('José', 'a@b.c'), tokenOf('accent'))).toBe('created')
      expect(await store.create(named('Jose', 'b@b.c'), tokenOf('no accent'))).toBe('created')
      expect(await store.create(named('JOSE\u0301', 'c@b.c'), tokenOf('two characters'))).toBe('name_taken')
      for (const name of ['José', 'Jose']) expect(await store.findForLogin(nameKey(name))).toMatchObject({ name })
    })

    test('API-1 when the token cannot be stored, the account is not stored either', async () => {
      await store.create(account('alice'), tokenOf('same'))
      await expect(store.create(account('bob'), tokenOf('same'))).rejects.toThrow()
      expect(await store.findForLogin('bob')).toBeNull()
      expect(await store.create(account('bob'), tokenOf('other'))).toBe('created')
    })

    test('API-1 exactly one of many concurrent registrations of a name or an e-mail address succeeds', async () => {
      const sameName = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const email = `${index}@example.org`
          return store.create(account('alice', { email, emailKey: email }), tokenOf(`name ${index}`))
        }),
      )
      expect(sameName.toSorted()).toStrictEqual(['created', ...Array<string>(19).fill('name_taken')])
      const sameEmail = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          store.create(account(`bob ${index}`, { emailKey: 'bob@example.org' }), tokenOf(`email ${index}`)),
        ),
      )
      expect(sameEmail.toSorted()).toStrictEqual(['created', ...Array<string>(19).fill('email_taken')])
      expect(await usersIn(store)).toHaveLength(2)
    })

    test('API-3 a token is valid until it expires, and an account can have several', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('from register'))
      await store.addToken({ hash: 'from login', accountId: alice.id, ...expiresAt(3_000) })
      const found = { id: alice.id, name: 'alice' }
      for (const hash of ['from register', 'from login']) {
        expect(await store.findByToken(hash, 1_999)).toStrictEqual(found)
      }
      expect(await store.findByToken('from register', 2_000)).toBeNull()
      expect(await store.findByToken('from login', 2_000)).toStrictEqual(found)
      expect(await store.findByToken('unknown', 0)).toBeNull()
    })

    test('LIMITS-2 an account keeps a bounded number of its newest tokens, and other accounts keep theirs', async () => {
      const [alice, bob] = [account('alice'), account('bob')]
      await store.create(alice, tokenOf('oldest'))
      await store.create(bob, tokenOf("bob's"))
      for (let i = 1; i <= maxTokensPerAccount; i++) {
        const dropped = await store.addToken({ hash: `login ${i}`, accountId: alice.id, ...expiresAt(2_000 + i) })
        expect(dropped).toStrictEqual(i === maxTokensPerAccount ? ['oldest'] : [])
      }
      expect(await store.findByToken('oldest', 0)).toBeNull()
      for (const hash of ['login 1', `login ${maxTokensPerAccount}`, "bob's"]) {
        expect(await store.findByToken(hash, 0)).not.toBeNull()
      }
    })

    test('LIMITS-2 a new token is kept even if it expires before all others', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('oldest'))
      for (let i = 1; i < maxTokensPerAccount; i++) {
        await store.addToken({ hash: `login ${i}`, accountId: alice.id, ...expiresAt(3_000 + i) })
      }
      expect(await store.addToken({ hash: 'short', accountId: alice.id, ...expiresAt(1) })).toStrictEqual(['oldest'])
      expect(await store.findByToken('short', 0)).not.toBeNull()
    })

    test('API-3 a token without an account cannot be stored, which is not a failure of the storage', async () => {
      const storing = store.addToken({ hash: 'h', accountId: 'unknown', ...expiresAt(3_000) })
      await expect(storing).rejects.not.toBeInstanceOf(StorageError)
      expect(await store.findByToken('h', 0)).toBeNull()
    })

    test('API-3 revoking a token deletes it and keeps the account and its other tokens', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('one'))
      await store.addToken({ hash: 'two', accountId: alice.id, ...later })
      await store.revokeToken('one')
      await store.revokeToken('unknown')
      expect(await store.findByToken('one', 0)).toBeNull()
      expect(await store.findByToken('two', 0)).not.toBeNull()
      expect(await store.findForLogin('alice')).not.toBeNull()
    })

    test('API-3 a sweep deletes only tokens that expired at least two hours ago', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('early'))
      await store.addToken({ hash: 'late', accountId: alice.id, ...expiresAt(3_000) })
      await store.deleteExpired(2_000 + expiredTokenKeptMs)
      expect(await store.findByToken('early', 0)).toBeNull()
      expect(await store.findByToken('late', 0)).not.toBeNull()
    })

    test('API-3 without a given time, tokens expire by the clock of the database', async () => {
      const alice = account('alice')
      await store.create(alice, { hash: 'valid', lifetimeMs: 3_600_000 })
      await store.addToken({ hash: 'expired', accountId: alice.id, lifetimeMs: -1 })
      await store.addToken({ hash: 'old', accountId: alice.id, lifetimeMs: -expiredTokenKeptMs - 1 })
      expect(await store.findByToken('valid')).not.toBeNull()
      expect(await store.findByToken('expired')).toBeNull()
      expect(await store.findByToken('valid', Date.now() + 3_500_000)).not.toBeNull()
      expect(await store.findByToken('valid', Date.now() + 3_700_000)).toBeNull()
      await store.deleteExpired()
      expect(await store.findByToken('valid', 0)).not.toBeNull()
      expect(await store.findByToken('old', 0)).toBeNull()
      expect(await store.revokeTokens(alice.id)).toContain('expired')
    })

    test('API-3 the list is in the order of registration and contains no secrets', async () => {
      const names = ['zoe', 'alice', 'mike', 'bob']
      const accounts = names.map((name) => account(name))
      for (const one of accounts) await store.create(one, tokenOf(one.id))
      expect(await usersIn(store)).toStrictEqual(accounts.map(({ id, name, email }) => ({ _id: id, name, email })))
    })

    test('API-3 the list is read in pages', async () => {
      for (const name of ['zoe', 'alice', 'mike', 'bob', 'eve']) await store.create(account(name), tokenOf(name))
      const [first, second, third] = await store.listPage(0, 3)
      expect([first, second, third].map((row) => row?.user.name)).toStrictEqual(['zoe', 'alice', 'mike'])
      const rest = await store.listPage(third?.order ?? 0, 3)
      expect(rest.map(({ user }) => user.name)).toStrictEqual(['bob', 'eve'])
      expect(await store.listPage(rest.at(-1)?.order ?? 0, 3)).toStrictEqual([])
    })

    test('API-1 accounts and tokens survive closing the store; a closed store rejects calls', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('t'))
      const closed = store
      await reopen()
      await expect(closed.listPage(0, 1)).rejects.toThrow()
      expect(await store.findByToken('t', 0)).toStrictEqual({ id: alice.id, name: 'alice' })
      expect(await store.create(account('alice'), tokenOf('u'))).toBe('name_taken')
    })

    test('API-2 a key with characters that no name can have finds no account', async () => {
      await store.create(account('alice'), tokenOf('t'))
      for (const lookup of lookups)
        for (const key of ['alice\0', '\0', '\ud800', '']) expect(await store[lookup](key)).toBeNull()
    })
  })
}

/** Defines the tests for stores that several processes use at once. */
export function describeSharedAccountStore(name: string, createFixture: () => AccountStoreFixture): void {
  describe(`an account store on ${name}, shared`, () => {
    let store: AccountStore
    let other: AccountStore

    beforeEach(async () => {
      const fixture = createFixture()
      ;[store, other] = await Promise.all([fixture.open(), fixture.open()])
    })
    afterEach(async () => {
      await store.close()
      await other.close()
    })

    test('API-3 accounts, tokens and revocations of one process are visible to the others at once', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('t'))
      expect(await other.findForLogin('alice')).not.toBeNull()
      expect(await other.create(account('alice'), tokenOf('u'))).toBe('name_taken')
      await other.addToken({ hash: 'from login', accountId: alice.id, ...later })
      expect(await store.findByToken('from login', 0)).toStrictEqual({ id: alice.id, name: 'alice' })
      await store.revokeToken('t')
      expect(await other.findByToken('t', 0)).toBeNull()
    })

    test('STORAGE-13 several processes can open and initialize an empty database at once', async () => {
      const empty = createFixture()
      const handles = await Promise.all(Array.from({ length: 4 }, () => empty.open()))
      for (const [index, handle] of handles.entries()) {
        expect(await handle.create(account(`user ${index}`), tokenOf(`${index}`))).toBe('created')
      }
      for (const handle of handles) expect(await usersIn(handle)).toHaveLength(4)
      for (const handle of handles) await handle.close()
    })
  })
}
