import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFlushScheduler, flushWindowMs, maxPauseMs } from './flush-scheduler.ts'

let flushedAt: number[]
let flushMs: number
let wroteMs: number
let running: number
let beat: ReturnType<typeof createFlushScheduler>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] })
  flushedAt = []
  flushMs = 1
  wroteMs = 0
  running = 0
  beat = createFlushScheduler(async () => {
    flushedAt.push(performance.now())
    expect(++running).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, flushMs))
    running--
    return wroteMs
  })
})
afterEach(() => {
  beat.stop()
  vi.useRealTimers()
})

/** Something arrives in every millisecond. */
async function bustle(milliseconds: number): Promise<void> {
  for (let i = 0; i < milliseconds; i++) {
    beat.request()
    await vi.advanceTimersByTimeAsync(1)
  }
}
const gaps = () => flushedAt.slice(1).map((at, index) => at - (flushedAt[index] ?? 0))

test('FANOUT-4 in a quiet room a message leaves at once', async () => {
  for (let i = 0; i < 3; i++) {
    const askedAt = performance.now()
    beat.request()
    await vi.advanceTimersByTimeAsync(flushWindowMs * 10)
    expect((flushedAt.at(-1) ?? 0) - askedAt).toBeLessThanOrEqual(1)
  }
  expect(flushedAt).toHaveLength(3)
})

test('FANOUT-4 in a busy room there is at most one flush per window, and none is forgotten', async () => {
  await bustle(flushWindowMs * 20)
  await vi.advanceTimersByTimeAsync(flushWindowMs * 2)
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(flushWindowMs)
  expect(flushedAt.length).toBeGreaterThan(15)
  const before = flushedAt.length
  await vi.advanceTimersByTimeAsync(1_000)
  expect(flushedAt).toHaveLength(before)
})

test('FANOUT-4 what arrives during a flush leaves with the next one, though nothing comes after it', async () => {
  flushMs = 5
  beat.request()
  await vi.advanceTimersByTimeAsync(2)
  expect(running).toBe(1)
  beat.request()
  await vi.advanceTimersByTimeAsync(flushWindowMs * 10)
  expect(flushedAt).toHaveLength(2)
})

test('FANOUT-4 after a flush that wrote for long, there is as long again for everything else', async () => {
  flushMs = wroteMs = maxPauseMs
  await bustle(1_000)
  expect(Math.min(...gaps())).toBeGreaterThanOrEqual(2 * flushMs - 1)
})

test('FANOUT-10 after a flush to a very large room nobody waits for as long again', async () => {
  flushMs = wroteMs = maxPauseMs * 5
  await bustle(2_000)
  expect(Math.max(...gaps())).toBeLessThanOrEqual(flushMs + maxPauseMs + 2)
})

test('FANOUT-4 after a flush that waited for the disk, the next follows at once', async () => {
  flushMs = 100
  await bustle(1_000)
  expect(Math.max(...gaps())).toBeLessThanOrEqual(flushMs + 2)
})

test('FANOUT-4 after stop nothing is flushed', async () => {
  beat.request()
  beat.stop()
  beat.request()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(flushedAt).toStrictEqual([])
})
