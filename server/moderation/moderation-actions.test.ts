import { expect, onTestFinished, test, vi } from 'vitest'
import { noRules } from '../../contract/constants.ts'
import type { ModeratorAction } from '../../contract/moderation.ts'
import { RejectionError } from '../base/rejection-error.ts'
import { createLocalBus } from '../bus/cluster-bus.ts'
import { unknownAddress } from '../limits/addresses.ts'
import { ignoreEvents } from '../observe/events.suite.ts'
import type { ChangeRecord, ModerationChange, ModerationStore, StoredModeration } from './moderation-store.ts'
import type { Actor, ModeratedLog } from './moderation-actions.ts'
import { openModeration } from './open-moderation.ts'

const mia = { id: 'id of mia', name: 'mia' }
const eve = { accountId: 'id of eve', network: '198.51.100.7', username: 'eve' }
const moderatorOf = ({ id, name }: typeof mia): Actor => ({ kind: 'moderator', accountId: id, name, tokenHash: 'hash' })

/**
 * Opens moderation on a fake store that contains `stored`. The store answers `isAllowed` with this value and
 * applies every change.
 */
async function open(stored: Partial<StoredModeration> = {}, isAllowed = true, sender = eve) {
  const applied: { change: ModerationChange; record: ChangeRecord }[] = []
  let sweeps = 0
  const store: Partial<ModerationStore> = {
    load: async () => ({
      moderators: [],
      rules: noRules,
      announcement: null,
      words: [],
      restrictions: [],
      nowMs: 0,
      ...stored,
    }),
    async apply(change, record) {
      applied.push({ change, record })
      return { isDone: true, endsAtMs: null, hasWithdrawnRole: false }
    },
    isAllowed: async () => isAllowed,
    listAudit: async () => [],
    async sweep() {
      sweeps++
    },
  }
  const log: Partial<ModeratedLog> = {
    senderOf: async () => sender,
  }
  const resources = new AsyncDisposableStack()
  onTestFinished(() => resources.disposeAsync())
  const moderation = await openModeration(
    { report: ignoreEvents, resources },
    {
      store: store as ModerationStore,
      log: log as ModeratedLog,
      bus: createLocalBus(),
    },
  )
  return { moderation, applied, sweeps: () => sweeps }
}

test('MODERATION-10 expired entries are deleted at the start and every hour', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { sweeps } = await open()
  expect(sweeps()).toBe(1)
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(sweeps()).toBe(2)
})

test.each<ModeratorAction>([{ type: 'overview' }, { type: 'remove-sender', senderOf: 1 }])(
  'MODERATION-11 $type needs the role that is stored, not the one that the node has in memory',
  async (action) => {
    const { moderation, applied } = await open({ moderators: [mia] }, false)
    await expect(moderation.perform(moderatorOf(mia), action)).rejects.toMatchObject({ code: 'not_allowed' })
    expect(applied).toStrictEqual([])
  },
)

test('WIRE-3 the ack of new rules has no field that the contract does not declare', async () => {
  const { moderation } = await open({ moderators: [mia] })
  const ack = await moderation.perform(moderatorOf(mia), { type: 'set-rules', rules: { readOnly: true } })
  expect(ack).toStrictEqual({ ok: true })
})

test("MODERATION-13 a restriction of a message's sender has the network of the message, even if the sender is an account", async () => {
  const { moderation, applied } = await open()
  await moderation.perform({ kind: 'operator' }, { type: 'ban', senderOf: 1, minutes: null })
  expect(applied[0]?.change).toMatchObject({
    restriction: { accountId: 'id of eve', network: '198.51.100.7', name: 'eve' },
  })
})

test('MODERATION-13 a restriction of an account does not have the unknown address of its message', async () => {
  const { moderation, applied } = await open({}, true, { ...eve, network: unknownAddress })
  await moderation.perform({ kind: 'operator' }, { type: 'ban', senderOf: 1, minutes: null })
  expect(applied[0]?.change).toMatchObject({ restriction: { accountId: 'id of eve', network: null, name: 'eve' } })
})

test('MODERATION-18 a range that contains IPv4 and IPv6 addresses is rejected with a message that names the valid forms', async () => {
  const { moderation, applied } = await open()
  for (const network of ['::/16', '::ffff:0:0/96']) {
    const restrict = { type: 'restrict', kind: 'ban', target: { network }, minutes: null } as const
    await expect(moderation.perform({ kind: 'operator' }, restrict)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('Give IPv4 addresses in IPv4 form') as string,
    })
  }
  expect(applied).toStrictEqual([])
})

test.each(['operator', 'Operator', 'erased user'])(
  'MODERATION-14 the audit shows an account with the name %s as an account',
  async (name) => {
    const moderator = { id: 'id', name }
    const { moderation, applied } = await open({ moderators: [moderator, mia] })
    await moderation.perform(moderatorOf(moderator), { type: 'set-rules', rules: {} })
    await moderation.perform(moderatorOf(mia), { type: 'set-rules', rules: {} })
    expect(applied.map(({ record: { actor } }) => actor)).toMatchObject([
      { name: `${name} (account)` },
      { name: 'mia' },
    ])
  },
)

test('MODERATION-16 the problem of a message is returned, also if the message has no id and cannot be a repeat', async () => {
  const { moderation } = await open({ rules: { ...noRules, readOnly: true } })
  const message = { username: 'eve', message: 'hello', createdTime: 1 }
  for (const id of ['first', null]) {
    const check = moderation.checkMessage(
      { id, message, sender: { accountId: null, network: '198.51.100.7' } },
      'connection',
    )
    expect(check).toMatchObject({ slot: null, problem: { code: 'not_allowed' } })
  }
})

test('MODERATION-16 a message in slow mode takes a slot; its repeat takes none and cannot release the slot of the first', async () => {
  const { moderation } = await open({ rules: { ...noRules, slowModeSeconds: 30 } })
  const message = { username: 'eve', message: 'hello', createdTime: 1 }
  const sender = { accountId: 'id of eve', network: '198.51.100.7' }
  const check = (id: string) => moderation.checkMessage({ id, message, sender }, 'connection')
  const { slot, problem } = check('first')
  if (slot === null || problem !== null) throw new Error('no slot')
  expect(check('first')).toStrictEqual({ slot: null, problem: null })
  expect(() => check('second')).toThrow(RejectionError)
  moderation.releaseSlot(slot)
  expect(check('second')).toMatchObject({ slot: { messageId: 'second' }, problem: null })
})
