import { describe, expect, test } from 'vitest'
import {
  type AccountStoreFixture,
  account,
  expiresAt,
  later,
  tokenOf,
  useAccountStore,
  usersIn,
} from './account-fixture.suite.ts'
import type { AccountStore, NewAccount } from './account-store.ts'

/** Defines the tests of account changes by operators, for each implementation of `AccountStore`. */
export function describeManagedAccounts(name: string, createFixture: () => AccountStoreFixture): void {
  describe(`accounts that operators change on ${name}`, () => {
    let store: AccountStore
    useAccountStore(createFixture, (opened) => {
      store = opened
    })

    test('MODERATION-20 deleting an account deletes its tokens and reserves its name until the reservation ends', async () => {
      const alice = account('alice')
      await store.create(alice, tokenOf('one'))
      await store.addToken({ hash: 'two', accountId: alice.id, ...later })
      await store.create(account('bob'), tokenOf("bob's"))
      const deleted = await store.deleteAccount(alice.id, { durationMs: 100, nowMs: 1_000 })
      expect(deleted.toSorted()).toStrictEqual(['one', 'two'])
      expect(await store.findForLogin('alice')).toBeNull()
      expect(await store.findByToken('one', 0)).toBeNull()
      expect(await store.findByToken("bob's", 0)).not.toBeNull()
      expect((await usersIn(store)).map(({ name }) => name)).toStrictEqual(['bob'])
      const again = (nowMs: number, change: Partial<NewAccount> = {}) =>
        store.create(account('alice', change), { hash: `at ${nowMs}`, nowMs, lifetimeMs: 1 })
      expect(await again(1_099)).toBe('name_taken')
      expect(await again(1_099, { nameKey: 'other' })).toBe('name_taken')
      expect(await again(1_100)).toBe('created')
      expect(await store.deleteAccount('unknown', { durationMs: 1 })).toStrictEqual([])
    })

    test('MODERATION-20 without a given time, a reservation ends by the clock of the database, and a sweep deletes it', async () => {
      const [alice, bob] = [account('alice'), account('bob')]
      const hour = { durationMs: 3_600_000 }
      await store.create(alice, tokenOf('one'))
      await store.create(bob, tokenOf('two'))
      await store.deleteAccount(alice.id, hour)
      await store.deleteAccount(bob.id, { durationMs: -1 })
      const isTaken = (name: string) => store.isNameTaken({ nameKey: name, lookKey: 'other' }, null)
      expect([await isTaken('alice'), await isTaken('bob')]).toStrictEqual([true, false])
      await store.deleteExpired()
      expect(await isTaken('alice')).toBe(true)
      await store.deleteExpired(Date.now() + 2 * hour.durationMs)
      expect(await isTaken('alice')).toBe(false)
    })

    test('MODERATION-20 a renamed account keeps its id and tokens; only this account can take its old name again', async () => {
      const [alice, bob] = [account('alice'), account('bob')]
      await store.create(alice, tokenOf('one'))
      await store.create(bob, tokenOf('two'))
      const month = { durationMs: 1_000, nowMs: 0 }
      const names = (name: string, lookKey = name) => ({ name, nameKey: name, lookKey })
      expect(await store.rename(alice.id, names('carol'), month)).toBe('renamed')
      expect(await store.findByToken('one', 0)).toStrictEqual({ id: alice.id, name: 'carol' })
      expect(await store.findForLogin('alice')).toBeNull()
      expect(await store.rename(bob.id, names('carol'), month)).toBe('name_taken')
      expect(await store.rename(bob.id, names('car0l', 'carol'), month)).toBe('name_taken')
      expect(await store.rename(bob.id, names('alice'), month)).toBe('name_taken')
      expect(await store.isNameTaken(names('carol'), alice.id)).toBe(false)
      expect(await store.isNameTaken(names('car0l', 'carol'), bob.id)).toBe(true)
      expect(await store.create(account('alice'), { hash: 'three', ...expiresAt(999) })).toBe('name_taken')
      expect(await store.rename(alice.id, names('alice'), month)).toBe('renamed')
      expect(await store.rename('unknown', names('eve'), month)).toBe('not_found')
    })

    test('MODERATION-20 tokens of one account are listed and revoked together, and its password can be replaced', async () => {
      const [alice, bob] = [account('alice'), account('bob')]
      await store.create(alice, tokenOf('one'))
      await store.addToken({ hash: 'two', accountId: alice.id, ...expiresAt(3_000) })
      await store.create(bob, tokenOf("bob's"))
      expect(await store.listTokens(alice.id, 1_999)).toStrictEqual([
        { hash: 'one', expiresAtMs: 2_000 },
        { hash: 'two', expiresAtMs: 3_000 },
      ])
      expect(await store.listTokens(alice.id, 2_000)).toHaveLength(1)
      expect((await store.revokeTokens(alice.id)).toSorted()).toStrictEqual(['one', 'two'])
      expect(await store.listTokens(alice.id, 0)).toStrictEqual([])
      expect(await store.listTokens(bob.id, 0)).toHaveLength(1)
      expect(await store.setPasswordHash(alice.id, 'new')).toBe(true)
      expect(await store.setPasswordHash('unknown', 'new')).toBe(false)
      expect((await store.findForLogin('alice'))?.passwordHash).toBe('new')
      const { id, name, email } = alice
      expect(await store.exportAccount(id)).toStrictEqual({ position: expect.any(Number), id, name, email })
      expect(await store.exportAccount('unknown')).toBeNull()
      expect(await store.countUsers()).toBe(2)
    })

    test('MODERATION-20 a search finds parts of names and e-mail addresses; wildcards have no effect', async () => {
      for (const name of ['alice', 'bob', 'al_x', '50%', String.raw`a\b`])
        await store.create(account(name), tokenOf(name))
      const search = async (text: string) => {
        const found = await store.listPage(0, 10, { nameKey: text, emailKey: `${text}@` })
        return found.map(({ user }) => user.name)
      }
      expect(await search('al')).toStrictEqual(['alice', 'al_x'])
      expect(await search('_')).toStrictEqual(['al_x'])
      expect(await search('%')).toStrictEqual(['50%'])
      expect(await search('\\')).toStrictEqual([String.raw`a\b`])
      expect(await search('zoe')).toStrictEqual([])
      const byEmail = await store.listPage(0, 10, { nameKey: 'no name', emailKey: 'bob@exa' })
      expect(byEmail.map(({ user }) => user.name)).toStrictEqual(['bob'])
    })
  })
}
