import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCountingThrottle, createThrottle, throttleMs } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('OPERATING-6 the first is told at once, the rest of a minute together, and a quiet minute not at all', () => {
  const told: [string, number][] = []
  const warn = createCountingThrottle((event: string, count: number) => told.push([event, count]))
  for (let i = 0; i < 1_000; i++) warn(`event ${i}`)
  expect(told).toStrictEqual([['event 0', 1]])
  vi.advanceTimersByTime(throttleMs)
  expect(told.slice(1)).toStrictEqual([['event 999', 999]])
  vi.advanceTimersByTime(10 * throttleMs)
  expect(told).toHaveLength(2)
  warn('later')
  expect(told[2]).toStrictEqual(['later', 1])
})

test('OPERATING-6 an outage is told at once and each minute that it lasts, and never when it is over', () => {
  const told: unknown[] = []
  const warn = createThrottle((error) => told.push(error))
  for (const error of ['first', 'second']) warn(error)
  expect(told).toStrictEqual(['first'])
  vi.advanceTimersByTime(2 * throttleMs)
  expect(told).toStrictEqual(['first'])
  for (const error of ['third', 'fourth']) warn(error)
  expect(told).toStrictEqual(['first', 'third'])
})
