import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFlushScheduler, flushWindowMs, maxPauseMs } from './flush-scheduler.ts'

let flushedAt: number[]
let flushMs: number
let fanOutMs: number
let running: number
let scheduler: ReturnType<typeof createFlushScheduler>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
  flushedAt = []
  flushMs = 1
  fanOutMs = 0
  running = 0
  scheduler = createFlushScheduler(async () => {
    flushedAt.push(performance.now())
    expect(++running).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, flushMs))
    running--
    return fanOutMs
  })
})
afterEach(() => {
  scheduler.stop()
  vi.useRealTimers()
})

/** Requests a flush in every millisecond. */
async function requestFor(milliseconds: number): Promise<void> {
  for (let i = 0; i < milliseconds; i++) {
    scheduler.request()
    await vi.advanceTimersByTimeAsync(1)
  }
}
const gaps = () => flushedAt.slice(1).map((at, index) => at - (flushedAt[index] ?? 0))

test('FANOUT-4 in a quiet room a message is flushed at once', async () => {
  for (let i = 0; i < 3; i++) {
    const requestedAt = performance.now()
    scheduler.request()
    await vi.advanceTimersByTimeAsync(flushWindowMs * 10)
    expect((flushedAt.at(-1) ?? 0) - requestedAt).toBeLessThanOrEqual(1)
  }
  expect(flushedAt).toHaveLength(3)
})

test('FANOUT-4 in a busy room there is at most one flush per window, and no request is lost', async () => {
  await requestFor(flushWindowMs * 20)
  await vi.advanceTimersByTimeAsync(flushWindowMs * 2)
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(flushWindowMs)
  expect(flushedAt.length).toBeGreaterThan(15)
  const before = flushedAt.length
  await vi.advanceTimersByTimeAsync(1_000)
  expect(flushedAt).toHaveLength(before)
})

test('FANOUT-4 a request during a flush causes another flush, although no request follows', async () => {
  flushMs = 5
  scheduler.request()
  await vi.advanceTimersByTimeAsync(2)
  expect(running).toBe(1)
  scheduler.request()
  await vi.advanceTimersByTimeAsync(flushWindowMs * 10)
  expect(flushedAt).toHaveLength(2)
})

test('FANOUT-4 after a long fan-out, the next flush waits for the same duration', async () => {
  flushMs = fanOutMs = maxPauseMs
  await requestFor(1_000)
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(2 * flushMs - 1)
})

test('FANOUT-10 after the fan-out of a very large room, the pause is limited', async () => {
  flushMs = fanOutMs = maxPauseMs * 5
  await requestFor(2_000)
  expect(Math.max(...gaps())).toBeLessThanOrEqual(flushMs + maxPauseMs + 2)
})

test('FANOUT-4 after a flush that waited for the disk, the next one starts at once', async () => {
  flushMs = 100
  await requestFor(1_000)
  expect(Math.max(...gaps())).toBeLessThanOrEqual(flushMs + 2)
})

test('FANOUT-4 after stop nothing is flushed', async () => {
  scheduler.request()
  scheduler.stop()
  scheduler.request()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(flushedAt).toStrictEqual([])
})
