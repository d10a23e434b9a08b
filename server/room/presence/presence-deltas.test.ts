import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { events } from '../../../contract/events.ts'
import { maxChunkBytes } from '../deliver/slicing.ts'
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

const onePerSlice = { sliceMs: 0, chunkSize: 1 }
/** Returns the versions that a watcher has received: of lists as numbers, of deltas as text. */
const versionsOf = ({ received }: Watcher) =>
  received.map((event) =>
    event[0] === events.onlineUsers ? event[2]?.version : `${event[1].from}-${event[1].version}`,
  )
/** Starts the publication of the collected changes, and runs its first slice. */
const startDelta = () => vi.advanceTimersToNextTimer()

test('FANOUT-10 the event loop runs between the slices of a delta', () => {
  presence = openPresence(onePerSlice)
  const watchers = [watch(true), watch(true), watch(true)]
  presence.join('a')
  for (const written of [1, 2, 3]) {
    vi.advanceTimersToNextTimer()
    expect(watchers.filter(({ received }) => received.length === 2)).toHaveLength(written)
  }
})

test('FANOUT-10 a large delta is written to fewer watchers at once', () => {
  presence = openPresence({ sliceMs: 0, chunkSize: 1_000 })
  const watchers = Array.from({ length: 100 }, () => watch(true))
  const writtenCount = () => watchers.filter(({ received }) => received.length === 2).length
  presence.join('x'.repeat(maxChunkBytes / 50))
  startDelta()
  expect(writtenCount()).toBeGreaterThan(0)
  expect(writtenCount()).toBeLessThanOrEqual(50)
  vi.advanceTimersByTime(10)
  expect(writtenCount()).toBe(100)
})

test('FANOUT-10 joins, resyncs and leaves during a delta neither repeat nor skip a version', () => {
  presence = openPresence(onePerSlice)
  const [first, resyncing, waiting, leaving, returning, last] = Array.from({ length: 6 }, () => watch(true))
  if (!first || !resyncing || !waiting || !leaving || !returning || !last) throw new Error('six watchers')
  presence.join('a')
  startDelta()
  expect([first, last].map(versionsOf)).toStrictEqual([[0, '0-1'], [0]])
  waiting.hasBudget = false
  for (const watcher of [first, resyncing, waiting]) presence.resync(watcher)
  presence.unwatch(leaving)
  presence.unwatch(returning)
  presence.watch(returning)
  const joining = watch(true)
  vi.advanceTimersByTime(100)
  presence.join('b')
  vi.advanceTimersByTime(withinMs)
  expect(versionsOf(first)).toStrictEqual([0, '0-1', 1, '1-2'])
  expect(versionsOf(resyncing)).toStrictEqual([0, 1, '1-2'])
  expect(versionsOf(waiting)).toStrictEqual([0, '0-1', '1-2'])
  expect(versionsOf(leaving)).toStrictEqual([0])
  expect(versionsOf(returning)).toStrictEqual([0, 1, '1-2'])
  expect(versionsOf(joining)).toStrictEqual([1, '1-2'])
  expect(versionsOf(last)).toStrictEqual([0, '0-1', '1-2'])
})

test('FANOUT-10 changes during a delta form the next delta, which starts after the last watcher has the first', () => {
  // Each turn of the event loop takes 1 ms of the fake clock, so writing this delta takes longer than collecting the next one.
  presence = openPresence(onePerSlice)
  const watchers = Array.from({ length: 500 }, () => watch(true))
  const plain = watch(false)
  presence.join('a')
  startDelta()
  for (const id of ['b', 'c']) {
    presence.join(id)
    vi.advanceTimersByTime(150)
  }
  expect(watchers.some(({ received }) => received.length === 1)).toBe(true)
  vi.advanceTimersByTime(2_000)
  for (const watcher of watchers) {
    expect(versionsOf(watcher)).toStrictEqual([0, '0-1', '1-2'])
    expect(watcher.received.at(-1)?.[1]).toMatchObject({ joined: ['b', 'c'] })
  }
  expect(plain.received.at(-1)).toStrictEqual([events.onlineUsers, ['a', 'b', 'c'], { version: 2 }])
})
