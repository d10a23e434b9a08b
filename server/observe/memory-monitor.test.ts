import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectEvents } from './events.suite.ts'
import { monitorMemory } from './memory-monitor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('OPERATING-2 a heap that is nearly full is told, one that is not is not', () => {
  const { report, of } = collectEvents()
  const told = () => of('heap-nearly-full')
  const heap = { usedBytes: 50, limitBytes: 100 }
  const watch = monitorMemory(report, () => heap)
  vi.advanceTimersByTime(60_000)
  expect(told()).toStrictEqual([])
  heap.usedBytes = 95
  vi.advanceTimersByTime(10_000)
  expect(told()).toStrictEqual([{ type: 'heap-nearly-full', usedBytes: 95, limitBytes: 100 }])
  watch.stop()
  vi.advanceTimersByTime(60_000)
  expect(told()).toHaveLength(1)
})
