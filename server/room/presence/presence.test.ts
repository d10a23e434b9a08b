import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { events } from '../../../contract/events.ts'
import type { PresenceDelta, PresenceVersion } from '../../../contract/presence.ts'
import type { EncodedPackets } from '../deliver/encoded-packets.ts'
import { createPresence } from './presence.ts'

type Told = [typeof events.onlineUsers, string[], PresenceVersion?] | [typeof events.onlineUsersDelta, PresenceDelta]

interface Watcher {
  wantsDeltas: boolean
  wantsPositions: boolean
  told: Told[]
  hasUnreadList: boolean
}

let presence: ReturnType<typeof createPresence<Watcher>>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
  const write = (watchers: readonly Watcher[], { packets }: EncodedPackets) => {
    for (const { told } of watchers) told.push(...packets.map((packet) => JSON.parse(packet.slice(1)) as Told))
  }
  presence = createPresence<Watcher>({ write, writeList: write, hasUnreadList: (watcher) => watcher.hasUnreadList })
})
afterEach(() => {
  presence.stop()
  vi.useRealTimers()
})

function createWatcher(wantsDeltas: boolean, wantsPositions = true): Watcher {
  return { wantsDeltas, wantsPositions, told: [], hasUnreadList: false }
}

function watch(wantsDeltas: boolean, wantsPositions = true): Watcher {
  const watcher = createWatcher(wantsDeltas, wantsPositions)
  presence.watch(watcher)
  return watcher
}

const withinMs = 250

test('RT-4 the joiner gets the list at once, everybody else within 250 ms', () => {
  presence.join('a')
  const [plain, delta] = [watch(false), watch(true)]
  for (const { told } of [plain, delta]) expect(told).toStrictEqual([[events.onlineUsers, ['a'], { version: 0 }]])
  vi.advanceTimersByTime(withinMs)
  presence.join('b')
  const joiner = watch(false)
  expect(joiner.told).toStrictEqual([[events.onlineUsers, ['a', 'b'], { version: 1 }]])
  expect(delta.told).toHaveLength(2)
  vi.advanceTimersByTime(withinMs)
  expect(plain.told.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 2 }])
  expect(delta.told.at(-1)).toStrictEqual([events.onlineUsersDelta, { from: 1, version: 2, joined: ['b'], left: [] }])
})

test('RT-4 a storm of joins and leaves is told as one change', () => {
  const [plain, delta] = [watch(false), watch(true)]
  for (let i = 0; i < 200; i++) presence.join(`id ${i}`)
  for (let i = 0; i < 199; i++) presence.leave(`id ${i}`)
  vi.advanceTimersByTime(withinMs)
  expect(plain.told.slice(1)).toStrictEqual([[events.onlineUsers, ['id 199'], { version: 1 }]])
  expect(delta.told).toHaveLength(2)
  vi.advanceTimersByTime(10_000)
  expect([plain.told.length, delta.told.length]).toStrictEqual([2, 2])
})

test('RT-4 large lists keep to their budget, and the last one is the truth; deltas do not wait', () => {
  const plain = Array.from({ length: 300 }, () => watch(false))
  const delta = watch(true)
  const [first] = plain
  for (let i = 0; i < 2_000; i++) presence.join(`a socket id of some length ${i}`)
  const seconds = 10
  let joined = 2_000
  for (let step = 0; step < seconds * 5; step++) {
    presence.join(`a late one ${joined++}`)
    vi.advanceTimersByTime(200)
  }
  const bytes = (first?.told ?? []).reduce((total, told) => total + JSON.stringify(told).length, 0) * plain.length
  const listBytes = JSON.stringify(first?.told.at(-1)).length * plain.length
  expect(bytes).toBeLessThan(8 * 1_024 * 1_024 * seconds + listBytes * 2)
  expect(first?.told.length).toBeGreaterThan(2)
  expect(delta.told.length).toBeGreaterThan(seconds * 4)
  vi.advanceTimersByTime(60_000)
  for (const { told } of plain) expect(told.at(-1)?.[1]).toHaveLength(joined)
})

test('RT-4 once nobody comes or goes any more, whole lists are right at once, budget or not; but not twice', () => {
  const plain = Array.from({ length: 300 }, () => watch(false))
  const lists = () => plain.map(({ told }) => told.at(-1)?.[1])
  for (let i = 0; i < 5_000; i++) presence.join(`a socket id of some length ${i}`)
  vi.advanceTimersByTime(300)
  presence.join('the last of the crowd')
  vi.advanceTimersByTime(1_200)
  for (const list of lists()) expect(list).toHaveLength(5_001)
  presence.join('one who comes and goes to make us send')
  vi.advanceTimersByTime(1_200)
  for (const list of lists()) expect(list).toHaveLength(5_001)
  vi.advanceTimersByTime(10_000)
  for (const list of lists()) expect(list).toHaveLength(5_002)
})

test('RT-4 large lists leave in portions, each the newest', () => {
  const plain = Array.from({ length: 300 }, () => watch(false))
  for (let i = 0; i < 2_000; i++) presence.join(`a socket id of some length ${i}`)
  vi.advanceTimersToNextTimer()
  const told = () => plain.filter((watcher) => watcher.told.length > 1).length
  expect(told()).toBeGreaterThan(0)
  expect(told()).toBeLessThan(300)
  presence.join('in between')
  vi.advanceTimersByTime(10)
  expect(told()).toBe(300)
  expect(plain.at(0)?.told.at(-1)?.[1]).toHaveLength(2_000)
  expect(plain.at(-1)?.told.at(-1)?.[1]).toHaveLength(2_001)
})

test('RT-4 resync gives a fresh list to those who watch, and nothing to others', () => {
  presence.join('a')
  const watcher = watch(true)
  const stranger = createWatcher(false)
  presence.join('b')
  presence.resync(watcher)
  presence.resync(stranger)
  expect(watcher.told.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 0 }])
  expect(stranger.told).toStrictEqual([])
})

test('RT-4 one who no longer watches is told nothing more', () => {
  const [plain, delta] = [watch(false), watch(true)]
  presence.join('a')
  presence.unwatch(plain)
  presence.unwatch(delta)
  vi.advanceTimersByTime(10_000)
  expect([plain.told.length, delta.told.length]).toStrictEqual([1, 1])
})

test('WIRE-1 who did not ask for positions gets the list alone, in one argument', () => {
  presence.join('a')
  const [specified, positioned] = [watch(false, false), watch(false)]
  presence.join('b')
  vi.advanceTimersByTime(withinMs)
  expect(specified.told).toStrictEqual([
    [events.onlineUsers, ['a']],
    [events.onlineUsers, ['a', 'b']],
  ])
  expect(positioned.told.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 1 }])
})

test('PRESENCE-1 who has not taken its last list gets no further one, and the newest once it has', () => {
  const slow = watch(false)
  slow.hasUnreadList = true
  for (let i = 0; i < 5; i++) {
    presence.join(`id ${i}`)
    presence.resync(slow)
    vi.advanceTimersByTime(2_000)
  }
  expect(slow.told).toHaveLength(1)
  slow.hasUnreadList = false
  vi.advanceTimersByTime(1_000)
  expect(slow.told.slice(1).map(([, list]) => list)).toStrictEqual([['id 0', 'id 1', 'id 2', 'id 3', 'id 4']])
})
