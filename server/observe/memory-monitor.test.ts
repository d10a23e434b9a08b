import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Heap, watchMemory } from './memory-monitor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('OPERATING-2 a heap that is nearly full is told, one that is not is not', () => {
  const told: Heap[] = []
  const heap = { usedBytes: 50, limitBytes: 100 }
  const watch = watchMemory(
    (full) => told.push({ ...full }),
    () => heap,
  )
  vi.advanceTimersByTime(60_000)
  expect(told).toStrictEqual([])
  heap.usedBytes = 95
  vi.advanceTimersByTime(10_000)
  expect(told).toStrictEqual([{ usedBytes: 95, limitBytes: 100 }])
  watch.stop()
  vi.advanceTimersByTime(60_000)
  expect(told).toHaveLength(1)
})
