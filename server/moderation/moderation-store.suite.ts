import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { noRules } from '../../contract/constants.ts'
import type { RestrictionKind } from '../../contract/moderation.ts'
import {
  byOperator,
  lifetimeMs,
  type ModerationStoreFixture,
  ofAccount,
  ofNetwork,
} from './moderation-fixture.suite.ts'
import { definePrivacyTests } from './moderation-privacy.suite.ts'
import type { ModerationChange, ModerationStore } from './moderation-store.ts'

/** Defines the tests of the `ModerationStore` interface. Run them for each implementation. */
export function describeModerationStore(name: string, createFixture: () => ModerationStoreFixture): void {
  describe(`a moderation store on ${name}`, () => {
    let fixture: ModerationStoreFixture
    let accounts: Awaited<ReturnType<ModerationStoreFixture['open']>>
    let store: ModerationStore

    beforeEach(async () => {
      fixture = createFixture()
      accounts = await fixture.open()
      store = accounts.moderation
    })
    afterEach(async () => {
      await accounts.close()
      fixture.remove()
    })

    /**
     * Creates an account whose id, name, e-mail address, keys and token hash are the same text. Returns the record of a
     * change by that account.
     */
    async function createAccount(id: string) {
      const keys = { nameKey: id, lookKey: id, emailKey: id }
      await accounts.create({ id, name: id, email: id, passwordHash: 'hash', ...keys }, { hash: id, lifetimeMs })
      return {
        record: { ...byOperator, actor: { kind: 'moderator', accountId: id, name: id, tokenHash: id } } as const,
      }
    }
    const apply = async (...changes: ModerationChange[]) => {
      for (const change of changes) expect(await store.apply(change, byOperator)).toMatchObject({ isDone: true })
    }
    const grant = (accountId: string) => apply({ type: 'add-moderator', accountId })

    definePrivacyTests({ current: () => ({ store, fixture }), createAccount, apply, grant })

    test('MODERATION-10 a new database has no role, rule, restriction, word or announcement', async () => {
      expect(await store.load()).toStrictEqual({
        moderators: [],
        rules: noRules,
        announcement: null,
        words: [],
        restrictions: [],
        nowMs: expect.any(Number) as number,
      })
      expect(await store.listAudit(10)).toStrictEqual([])
    })

    test('MODERATION-10 every change is stored with its audit entry, newest first, and survives closing the store', async () => {
      await createAccount('alice')
      const network = ofNetwork('192.0.2.1')
      await grant('alice')
      await apply(
        { type: 'set-rules', rules: { slowModeSeconds: 30 } },
        { type: 'set-rules', rules: { linksOff: true } },
        { type: 'announce', announcement: { id: 'a', text: 'hello' } },
        { type: 'add-word', word: { word: 'spam', inside: false } },
        { type: 'add-word', word: { word: 'spam', inside: true } },
      )
      const { nowMs } = await store.load()
      const outcome = await store.apply(
        { type: 'restrict', restriction: network, durationMs: lifetimeMs },
        { ...byOperator, action: 'ban', target: 'bob', reason: 'spam' },
      )
      if (!outcome.isDone || outcome.endsAtMs === null) throw new Error('not stored')
      expect(outcome.endsAtMs).toBeGreaterThanOrEqual(nowMs + lifetimeMs)
      await accounts.close()
      accounts = await fixture.open()
      store = accounts.moderation
      expect(await store.load()).toMatchObject({
        moderators: [{ id: 'alice', name: 'alice' }],
        rules: { ...noRules, slowModeSeconds: 30, linksOff: true },
        announcement: { id: 'a', text: 'hello' },
        words: [{ word: 'spam', inside: true }],
        restrictions: [{ ...network, endsAtMs: outcome.endsAtMs, accountNetworks: [] }],
      })
      const [newest, ...others] = await store.listAudit(10)
      expect(newest).toMatchObject({ actor: 'operator', action: 'ban', target: 'bob', reason: 'spam' })
      expect(newest?.endsAtMs).toBe(outcome.endsAtMs)
      expect(others).toHaveLength(6)
      expect(await store.listAudit(2)).toHaveLength(2)
    })

    test('MODERATION-10 roles, words and restrictions can be removed once, and an announcement can be ended', async () => {
      await createAccount('alice')
      const restriction = ofNetwork('192.0.2.1')
      await grant('alice')
      await apply(
        { type: 'add-word', word: { word: 'spam', inside: false } },
        { type: 'announce', announcement: { id: 'a', text: 'hello' } },
        { type: 'restrict', restriction, durationMs: null },
      )
      const undo: ModerationChange[] = [
        { type: 'remove-moderator', accountId: 'alice' },
        { type: 'remove-word', word: 'spam' },
        { type: 'end-restriction', id: restriction.id },
      ]
      await apply({ type: 'announce', announcement: null }, ...undo)
      for (const change of undo) {
        expect(await store.apply(change, byOperator)).toStrictEqual({ isDone: false, problem: 'not_found' })
      }
      expect(await store.load()).toMatchObject({ moderators: [], words: [], announcement: null, restrictions: [] })
      expect((await store.listAudit(1))[0]?.target).toBe('ban of bob')
    })

    test('MODERATION-11 a change needs the role and the session of its moderator at the moment it is stored', async () => {
      const { record } = await createAccount('alice')
      const change: ModerationChange = { type: 'set-rules', rules: { readOnly: true } }
      const rejected = { isDone: false, problem: 'no_role' }
      expect(await store.apply(change, record)).toStrictEqual(rejected)
      expect(await store.isAllowed(record.actor)).toBe(false)
      await grant('alice')
      expect(await store.apply(change, record)).toMatchObject({ isDone: true })
      expect(await store.isAllowed(record.actor)).toBe(true)
      await apply({ type: 'remove-moderator', accountId: 'alice' })
      expect(await store.apply({ type: 'set-rules', rules: noRules }, record)).toStrictEqual(rejected)
      await grant('alice')
      await accounts.revokeToken('alice')
      expect(await store.isAllowed(record.actor)).toBe(false)
      expect(await store.isAllowed(byOperator.actor)).toBe(true)
      expect(await store.apply({ type: 'set-rules', rules: noRules }, record)).toStrictEqual(rejected)
      expect((await store.load()).rules.readOnly).toBe(true)
      expect(await store.listAudit(10)).toHaveLength(4)
    })

    test('MODERATION-12 a moderator cannot restrict a moderator; the operator can, which withdraws the role', async () => {
      const { record } = await createAccount('alice')
      await createAccount('mallory')
      for (const id of ['alice', 'mallory']) await grant(id)
      for (const id of ['alice', 'mallory']) {
        const change: ModerationChange = { type: 'restrict', restriction: ofAccount(id), durationMs: null }
        expect(await store.apply(change, record)).toStrictEqual({ isDone: false, problem: 'is_moderator' })
      }
      expect((await store.load()).restrictions).toStrictEqual([])
      const change: ModerationChange = { type: 'restrict', restriction: ofAccount('mallory'), durationMs: null }
      expect(await store.apply(change, byOperator)).toMatchObject({ isDone: true, hasWithdrawnRole: true })
      expect((await store.load()).moderators).toStrictEqual([{ id: 'alice', name: 'alice' }])
    })

    test('MODERATION-10 a restriction of a kind unknown to this version is not loaded as another kind', async () => {
      const restriction = { ...ofNetwork('192.0.2.1'), kind: 'unknown' as RestrictionKind }
      await apply({ type: 'restrict', restriction, durationMs: null })
      await expect(store.load()).rejects.toThrow(/unknown kind/)
    })

    test('MODERATION-13 a restriction of an account covers the networks that the account used before it and uses after it', async () => {
      for (const id of ['alice', 'bob']) await createAccount(id)
      await store.noteNetwork('alice', '192.0.2.1')
      await store.noteNetwork('alice', '192.0.2.1')
      await store.noteNetwork('bob', '192.0.2.2')
      await apply({ type: 'restrict', restriction: ofAccount('alice'), durationMs: null })
      await store.noteNetwork('alice', '2001:db8:0:1')
      await store.sweep()
      const [restriction] = (await store.load()).restrictions
      expect(restriction?.accountNetworks.toSorted()).toStrictEqual(['192.0.2.1', '2001:db8:0:1'])
    })

    test('MODERATION-10 an unknown value that a later version stored is not loaded as a rule', async () => {
      await apply({ type: 'set-rules', rules: { readOnly: true } })
      await fixture.execute("INSERT INTO room_values VALUES ('later', 'true')")
      expect((await store.load()).rules).toStrictEqual({ ...noRules, readOnly: true })
    })

    test('MODERATION-13 an ended restriction is not loaded, and a sweep keeps restrictions that have not ended', async () => {
      const lasting = ofNetwork('192.0.2.3')
      await apply(
        { type: 'restrict', restriction: ofNetwork('192.0.2.1'), durationMs: 0 },
        { type: 'restrict', restriction: ofNetwork('192.0.2.2'), durationMs: -1 },
        { type: 'restrict', restriction: lasting, durationMs: null },
      )
      const ids = async () => (await store.load()).restrictions.map(({ id }) => id)
      expect(await ids()).toStrictEqual([lasting.id])
      await store.sweep()
      expect(await ids()).toStrictEqual([lasting.id])
      expect(await store.listAudit(10)).toHaveLength(3)
    })

    test('MODERATION-13 an ended restriction no longer counts against the maximum when another one is stored', async () => {
      const ended = ofNetwork('192.0.2.1')
      await apply(
        { type: 'restrict', restriction: ended, durationMs: -1 },
        { type: 'restrict', restriction: ofNetwork('192.0.2.2'), durationMs: null },
      )
      const change: ModerationChange = { type: 'end-restriction', id: ended.id }
      expect(await store.apply(change, byOperator)).toStrictEqual({ isDone: false, problem: 'not_found' })
    })
  })
}
