import { expect, test } from 'vitest'
import { byOperator, lifetimeMs, type ModerationStoreFixture, ofAccount } from './moderation-fixture.suite.ts'
import {
  accountNetworkLifetimeMs,
  auditLifetimeMs,
  type ChangeRecord,
  erasedName,
  type ModerationChange,
  type ModerationStore,
  type StoredActor,
} from './moderation-store.ts'

interface PrivacyContext {
  /** Returns the store of the current test, and its database. */
  current: () => { store: ModerationStore; fixture: ModerationStoreFixture }
  createAccount: (
    id: string,
  ) => Promise<{ record: ChangeRecord & { actor: Extract<StoredActor, { kind: 'moderator' }> } }>
  apply: (...changes: ModerationChange[]) => Promise<void>
  grant: (accountId: string) => Promise<void>
}

/** Defines the tests of the retention, export and erasure of data about accounts. */
export function definePrivacyTests({ current, createAccount, apply, grant }: PrivacyContext): void {
  /** Makes all audit entries and all uses of networks older by `ms`. */
  const passTime = async (ms: number) => {
    await current().fixture.execute(`UPDATE moderation_audit SET at_ms = at_ms - ${ms}`)
    await current().fixture.execute(`UPDATE account_networks SET used_at_ms = used_at_ms - ${ms}`)
  }

  test('MODERATION-10 audit entries and networks of accounts are deleted when their retention ends', async () => {
    const { store } = current()
    for (const id of ['alice', 'mallory']) {
      await createAccount(id)
      await store.noteNetwork(id, '192.0.2.1')
    }
    await apply({ type: 'restrict', restriction: ofAccount('mallory'), durationMs: null })
    const networks = async () =>
      (await Promise.all(['alice', 'mallory'].map((id) => store.listNetworks(id)))).map(({ length }) => length)
    await passTime(accountNetworkLifetimeMs - lifetimeMs)
    await store.sweep()
    expect(await networks()).toStrictEqual([1, 1])
    await passTime(lifetimeMs)
    await store.sweep()
    // The network of a restricted account is kept until the restriction ends.
    expect(await networks()).toStrictEqual([0, 1])

    const pastMs = auditLifetimeMs - accountNetworkLifetimeMs
    await passTime(pastMs - lifetimeMs)
    await store.sweep()
    expect(await store.listAudit(10)).toHaveLength(1)
    await passTime(lifetimeMs)
    expect(await store.listAudit(10)).toStrictEqual([])
    await passTime(-lifetimeMs)
    expect(await store.listAudit(10)).toHaveLength(1)
    await passTime(lifetimeMs)
    await store.sweep()
    await passTime(-lifetimeMs)
    expect(await store.listAudit(10)).toStrictEqual([])
  })

  test('MODERATION-29 the networks of an account can be exported', async () => {
    const { store } = current()
    for (const id of ['alice', 'bob']) await createAccount(id)
    await store.noteNetwork('alice', '192.0.2.1')
    await store.noteNetwork('bob', '192.0.2.2')
    expect(await store.listNetworks('alice')).toStrictEqual([{ network: '192.0.2.1', usedAtMs: expect.any(Number) }])
  })

  test('MODERATION-29 the audit entries by and on an account can be listed, under any of its names', async () => {
    const { store } = current()
    const { record } = await createAccount('bob')
    await createAccount('alice')
    await grant('bob')
    await store.apply({ type: 'record' }, { ...record, action: 'by bob' })
    await store.apply({ type: 'record' }, { ...byOperator, action: 'on bob', target: 'rob', targetId: 'bob' })
    await store.apply({ type: 'record' }, { ...byOperator, action: 'on alice', target: 'bob', targetId: 'alice' })
    expect((await store.listAudit(10, 'bob')).map(({ action }) => action)).toStrictEqual(['on bob', 'by bob'])
  })

  test('MODERATION-14 the present and former names of an erased account are in neither the audit nor a restriction', async () => {
    const { store } = current()
    // The account was renamed from amy to zoe.
    const { record } = await createAccount('bob')
    await grant('bob')
    await store.apply({ type: 'record' }, { ...record, actor: { ...record.actor, name: 'amy' } })
    const onBob = { ...byOperator, targetId: 'bob' }
    await store.apply({ type: 'record' }, { ...onBob, target: 'zoe' })
    await store.apply({ type: 'record' }, { ...onBob, target: 'amy', reason: 'zoe' })
    const ended = { ...ofAccount('bob'), name: 'zoe' }
    for (const restriction of [{ ...ofAccount('bob'), name: 'amy', reason: 'amy floods' }, ended]) {
      const { name, reason } = restriction
      const change = { type: 'restrict', restriction, durationMs: null } as const
      await store.apply(change, { ...onBob, target: name, reason })
    }
    await apply({ type: 'end-restriction', id: ended.id })
    // The restriction outlives the audit entry of the rename.
    await current().fixture.execute("DELETE FROM moderation_audit WHERE target = 'amy' AND reason = 'zoe'")
    await store.apply({ type: 'record' }, { ...byOperator, target: 'another' })
    const texts = async () => JSON.stringify([await store.listAudit(10), (await store.load()).restrictions])
    expect(await texts()).toMatch(/amy.*zoe/)
    await store.eraseNames('bob')
    expect(await texts()).not.toMatch(/amy|zoe/)
    expect((await store.load()).restrictions).toMatchObject([{ accountId: 'bob', name: erasedName, reason: null }])
    expect((await store.listAudit(1))[0]).toMatchObject({ actor: 'operator', target: 'another' })
  })
}
