import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { collectEvents } from './events.suite.ts'
import { monitorMemory } from './memory-monitor.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('OPERATING-2 a heap is reported only when it is nearly full', () => {
  const { report, of } = collectEvents()
  const reported = () => of('heap-nearly-full')
  const heap = { usedBytes: 50, limitBytes: 100 }
  const monitor = monitorMemory(report, () => heap)
  vi.advanceTimersByTime(60_000)
  expect(reported()).toStrictEqual([])
  heap.usedBytes = 95
  vi.advanceTimersByTime(10_000)
  expect(reported()).toStrictEqual([{ type: 'heap-nearly-full', usedBytes: 95, limitBytes: 100 }])
  monitor.stop()
  vi.advanceTimersByTime(60_000)
  expect(reported()).toHaveLength(1)
})
