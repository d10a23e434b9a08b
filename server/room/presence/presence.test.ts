import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { events } from '../../../contract/events.ts'
import { createWatcher, openPresence, type Watcher } from './presence-fixture.suite.ts'

let presence: ReturnType<typeof openPresence>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
  presence = openPresence()
})

afterEach(() => {
  presence.stop()
  vi.useRealTimers()
})

function watch(wantsDeltas: boolean, wantsPositions = true): Watcher {
  const watcher = createWatcher(wantsDeltas, wantsPositions)
  presence.watch(watcher)
  return watcher
}

const withinMs = 250

test('RT-4 a new watcher gets the list at once, all other watchers within 250 ms', () => {
  presence.join('a')
  const [plain, delta] = [watch(false), watch(true)]
  for (const { received } of [plain, delta])
    expect(received).toStrictEqual([[events.onlineUsers, ['a'], { version: 0 }]])
  vi.advanceTimersByTime(withinMs)
  presence.join('b')
  const joiner = watch(false)
  expect(joiner.received).toStrictEqual([[events.onlineUsers, ['a', 'b'], { version: 1 }]])
  expect(delta.received).toHaveLength(2)
  vi.advanceTimersByTime(withinMs)
  expect(plain.received.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 2 }])
  expect(delta.received.at(-1)).toStrictEqual([
    events.onlineUsersDelta,
    { from: 1, version: 2, joined: ['b'], left: [] },
  ])
})

test('RT-4 a burst of joins and leaves is published as one change', () => {
  const [plain, delta] = [watch(false), watch(true)]
  for (let i = 0; i < 200; i++) presence.join(`id ${i}`)
  for (let i = 0; i < 199; i++) presence.leave(`id ${i}`)
  vi.advanceTimersByTime(withinMs)
  expect(plain.received.slice(1)).toStrictEqual([[events.onlineUsers, ['id 199'], { version: 1 }]])
  expect(delta.received).toHaveLength(2)
  vi.advanceTimersByTime(10_000)
  expect([plain.received.length, delta.received.length]).toStrictEqual([2, 2])
})

test('RT-4 large lists stay within their budget and end up complete; deltas are not delayed', () => {
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
  const bytes = (first?.received ?? []).reduce((total, event) => total + JSON.stringify(event).length, 0) * plain.length
  const listBytes = JSON.stringify(first?.received.at(-1)).length * plain.length
  expect(bytes).toBeLessThan(8 * 1_024 * 1_024 * seconds + listBytes * 2)
  expect(first?.received.length).toBeGreaterThan(2)
  expect(delta.received.length).toBeGreaterThan(seconds * 4)
  vi.advanceTimersByTime(60_000)
  for (const { received } of plain) expect(received.at(-1)?.[1]).toHaveLength(joined)
})

test('RT-4 a second after the last change, complete lists are sent although the budget is spent, but only once', () => {
  const plain = Array.from({ length: 300 }, () => watch(false))
  const lists = () => plain.map(({ received }) => received.at(-1)?.[1])
  for (let i = 0; i < 5_000; i++) presence.join(`a socket id of some length ${i}`)
  vi.advanceTimersByTime(300)
  presence.join('the last one')
  vi.advanceTimersByTime(1_200)
  for (const list of lists()) expect(list).toHaveLength(5_001)
  presence.join('one more change')
  vi.advanceTimersByTime(1_200)
  for (const list of lists()) expect(list).toHaveLength(5_001)
  vi.advanceTimersByTime(10_000)
  for (const list of lists()) expect(list).toHaveLength(5_002)
})

test('RT-4 large lists are sent in chunks, each with the newest list', () => {
  const plain = Array.from({ length: 300 }, () => watch(false))
  for (let i = 0; i < 2_000; i++) presence.join(`a socket id of some length ${i}`)
  vi.advanceTimersToNextTimer()
  const receivedCount = () => plain.filter((watcher) => watcher.received.length > 1).length
  expect(receivedCount()).toBeGreaterThan(0)
  expect(receivedCount()).toBeLessThan(300)
  presence.join('in between')
  vi.advanceTimersByTime(10)
  expect(receivedCount()).toBe(300)
  expect(plain.at(0)?.received.at(-1)?.[1]).toHaveLength(2_000)
  expect(plain.at(-1)?.received.at(-1)?.[1]).toHaveLength(2_001)
})

test('RT-4 resync sends a new list to a watcher, and nothing to other connections', () => {
  presence.join('a')
  const watcher = watch(true)
  const otherConnection = createWatcher(false)
  presence.join('b')
  presence.resync(watcher)
  presence.resync(otherConnection)
  expect(watcher.received.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 0 }])
  expect(otherConnection.received).toStrictEqual([])
})

test('RT-4 a connection that no longer watches gets nothing more', () => {
  const [plain, delta] = [watch(false), watch(true)]
  presence.join('a')
  presence.unwatch(plain)
  presence.unwatch(delta)
  vi.advanceTimersByTime(10_000)
  expect([plain.received.length, delta.received.length]).toStrictEqual([1, 1])
})

test('WIRE-1 a watcher without positions gets the list with one argument', () => {
  presence.join('a')
  const [specified, positioned] = [watch(false, false), watch(false)]
  presence.join('b')
  vi.advanceTimersByTime(withinMs)
  expect(specified.received).toStrictEqual([
    [events.onlineUsers, ['a']],
    [events.onlineUsers, ['a', 'b']],
  ])
  expect(positioned.received.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b'], { version: 1 }])
})

test('PRESENCE-1 a watcher with an unread list gets no other list until it has read it, then the newest', () => {
  const slow = watch(false)
  slow.hasUnreadList = true
  for (let i = 0; i < 5; i++) {
    presence.join(`id ${i}`)
    presence.resync(slow)
    vi.advanceTimersByTime(2_000)
  }
  expect(slow.received).toHaveLength(1)
  slow.hasUnreadList = false
  vi.advanceTimersByTime(1_000)
  expect(slow.received.slice(1).map(([, list]) => list)).toStrictEqual([['id 0', 'id 1', 'id 2', 'id 3', 'id 4']])
})

test('LIMITS-9 a list over the budget of its watcher is sent later, with the changes until then', () => {
  const watcher = createWatcher(true)
  watcher.hasBudget = false
  presence.join('a')
  presence.watch(watcher)
  vi.advanceTimersByTime(5_000)
  expect(watcher.received.filter(([event]) => event === events.onlineUsers)).toStrictEqual([])
  presence.join('b')
  watcher.hasBudget = true
  vi.advanceTimersByTime(1_000)
  expect(watcher.received.find(([event]) => event === events.onlineUsers)?.[1]).toStrictEqual(['a', 'b'])
})
