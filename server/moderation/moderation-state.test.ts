import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { noRules } from '../../contract/constants.ts'
import { StorageError } from '../base/storage-error.ts'
import { createLocalBus } from '../bus/cluster-bus.ts'
import { unknownAddress } from '../limits/addresses.ts'
import { collectEvents, ignoreEvents } from '../observe/events.suite.ts'
import type { Report } from '../observe/events.ts'
import { createAccountNetworks, maxNotifications } from './account-networks.ts'
import { openModerationState } from './moderation-state.ts'
import type { LoadedModeration, ModerationStore, StoredModeration } from './moderation-store.ts'

const empty: StoredModeration = {
  moderators: [],
  rules: noRules,
  announcement: null,
  words: [],
  restrictions: [],
  nowMs: 5_000,
}

async function openState(load: () => Promise<LoadedModeration>, now = () => 0, report: Report = ignoreEvents) {
  const bus = createLocalBus()
  const state = await openModerationState({ load } as ModerationStore, bus, report, now)
  onTestFinished(() => state.stop())
  return { state, bus }
}

test('MODERATION-19 a node reloads the state on an event, and passes the previous state to its listeners', async () => {
  let stored = empty
  const { state, bus } = await openState(async () => stored)
  const seen: unknown[] = []
  state.onChange((snapshot, previous) => seen.push([previous.rules.readOnly, snapshot.rules.readOnly]))
  stored = { ...empty, rules: { ...noRules, readOnly: true } }
  await bus.publish({ kind: 'moderation-changed' })
  await expect.poll(() => seen).toStrictEqual([[false, true]])
  stored = empty
  await bus.publish({ kind: 'users-changed' })
  await expect.poll(() => seen).toHaveLength(2)
  await bus.publish({ kind: 'token-revoked', tokenHash: 'hash' })
  await state.reload()
  expect(seen).toHaveLength(3)
})

test('MODERATION-19 while the store is unavailable a node keeps its last state, and loads the change afterwards', async () => {
  let stored: StoredModeration | null = { ...empty, rules: { ...noRules, linksOff: true } }
  let loads = 0
  const { state, bus } = await openState(async () => {
    loads++
    if (stored === null) throw new StorageError('away')
    return stored
  })
  stored = null
  await bus.publish({ kind: 'moderation-changed' })
  await expect.poll(() => loads).toBeGreaterThan(2)
  expect(state.current().rules.linksOff).toBe(true)
  stored = empty
  await expect.poll(() => state.current().rules.linksOff).toBe(false)
})

test('MODERATION-19 a node that cannot load the state does not start', async () => {
  await expect(openState(async () => Promise.reject(new StorageError('away')))).rejects.toThrow('away')
})

test('MODERATION-16 stored rules that do not match the contract count as not set, and are reported', async () => {
  const events = collectEvents()
  const rules = {
    ...noRules,
    readOnly: true,
    slowModeSeconds: -1,
    linksOff: 'not JSON',
    other: true,
  }
  const { state } = await openState(
    async () => ({ ...empty, rules, announcement: { id: 'a' } }),
    undefined,
    events.report,
  )
  expect(state.current().rules).toStrictEqual({ ...noRules, readOnly: true })
  expect(state.current().announcement).toBeNull()
  const keys = ['slowModeSeconds', 'linksOff', 'other', 'announcement']
  expect(events.of('moderation-values-invalid')).toStrictEqual([{ type: 'moderation-values-invalid', keys }])
})

test('MODERATION-17 restrictions end by the clock of the database, whatever the clock of the node says', async () => {
  let timeMs = 100
  const { state } = await openState(
    async () => empty,
    () => timeMs,
  )
  expect(state.nowMs()).toBe(5_000)
  timeMs = 600
  expect(state.nowMs()).toBe(5_500)
})

test('MODERATION-13 a node stores each network of an account at most once an hour, and again after a failure', async () => {
  let timeMs = 0
  let isAway = false
  const stored: string[] = []
  let notifications = 0
  const networks = createAccountNetworks({
    store: {
      async noteNetwork(accountId, network) {
        if (isAway) throw new StorageError('away')
        stored.push(`${accountId} ${network}`)
      },
    },
    isRestricted: (accountId) => accountId === 'banned',
    onNoted: () => notifications++,
    now: () => timeMs,
  })
  onTestFinished(() => networks.stop())
  const note = async () => {
    networks.note('alice', '192.0.2.1')
    await setImmediate()
  }
  await note()
  await note()
  expect(stored).toStrictEqual(['alice 192.0.2.1'])
  timeMs = 3_600_000
  isAway = true
  await note()
  isAway = false
  await note()
  expect(stored).toHaveLength(2)
  // Many networks of a restricted account cause one event.
  for (let index = 0; index < 100; index++) networks.note('banned', `192.0.2.${index}`)
  await expect.poll(() => notifications).toBe(1)
  expect(stored).toHaveLength(102)
})

test.each(['127.0.0.1', '0:0:0:0', unknownAddress])(
  'MODERATION-13 the network %s, which unrelated users may share, is not stored for an account',
  async (network) => {
    const stored: string[] = []
    const networks = createAccountNetworks({
      store: { noteNetwork: async (_, noted) => void stored.push(noted) },
      isRestricted: () => false,
      onNoted: () => undefined,
    })
    onTestFinished(() => networks.stop())
    for (const used of [network, '192.0.2.1']) networks.note('alice', used)
    expect(stored).toStrictEqual(['192.0.2.1'])
  },
)

test('MODERATION-13 a restricted account that uses many networks causes a limited number of events', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let notifications = 0
  const networks = createAccountNetworks({
    store: { noteNetwork: async () => undefined },
    isRestricted: () => true,
    onNoted: () => notifications++,
  })
  let used = 0
  const useNetworks = async (accountId: string, count: number) => {
    for (let index = 0; index < count; index++) {
      networks.note(accountId, `2001:db8:0:${(used++).toString(16)}`)
      await vi.advanceTimersByTimeAsync(2_000)
    }
  }
  await useNetworks('mallory', 100)
  expect(notifications).toBe(maxNotifications)
  // The limit of one account does not delay the networks of another account.
  await useNetworks('eve', 1)
  expect(notifications).toBe(maxNotifications + 1)
  await vi.advanceTimersByTimeAsync(3_600_000)
  await useNetworks('mallory', 1)
  expect(notifications).toBe(maxNotifications + 2)
})
