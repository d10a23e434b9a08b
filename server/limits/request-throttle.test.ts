import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRequestThrottle } from './request-throttle.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('SECURITY-3 the first is done at once, of the rest the last, in its time', () => {
  const pace = createRequestThrottle(1_000)
  const [owner, done] = [{}, [] as number[]]
  for (let i = 0; i < 100; i++) pace(owner, () => done.push(i))
  expect(done).toStrictEqual([0])
  vi.advanceTimersByTime(999)
  expect(done).toStrictEqual([0])
  vi.advanceTimersByTime(1)
  expect(done).toStrictEqual([0, 99])
  pace(owner, () => done.push(100))
  vi.advanceTimersByTime(1_000)
  expect(done).toStrictEqual([0, 99, 100])
})

test('SECURITY-3 an owner that waits in between, and every other owner, is served at once', () => {
  const pace = createRequestThrottle(1_000)
  const [owner, done] = [{}, [] as string[]]
  pace(owner, () => done.push('first'))
  pace({}, () => done.push('other'))
  vi.advanceTimersByTime(1_000)
  pace(owner, () => done.push('later'))
  expect(done).toStrictEqual(['first', 'other', 'later'])
})
