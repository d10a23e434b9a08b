import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createCountingThrottle, createThrottle, throttleMs } from './throttle.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('OPERATING-6 the first event is logged at once, the others of a minute in one line, and a minute without events adds no line', () => {
  const logged: [string, number][] = []
  const log = createCountingThrottle((event: string, count: number) => logged.push([event, count]))
  for (let i = 0; i < 1_000; i++) log(`event ${i}`)
  expect(logged).toStrictEqual([['event 0', 1]])
  vi.advanceTimersByTime(throttleMs)
  expect(logged.slice(1)).toStrictEqual([['event 999', 999]])
  vi.advanceTimersByTime(10 * throttleMs)
  expect(logged).toHaveLength(2)
  log('later')
  expect(logged[2]).toStrictEqual(['later', 1])
})

test('OPERATING-6 an outage is logged at once and then once a minute while it lasts', () => {
  const logged: unknown[] = []
  const log = createThrottle((error) => logged.push(error))
  for (const error of ['first', 'second']) log(error)
  expect(logged).toStrictEqual(['first'])
  vi.advanceTimersByTime(2 * throttleMs)
  expect(logged).toStrictEqual(['first'])
  for (const error of ['third', 'fourth']) log(error)
  expect(logged).toStrictEqual(['first', 'third'])
})
