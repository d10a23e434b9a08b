import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRequestThrottle } from './request-throttle.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('SECURITY-3 the first request runs immediately, then only the latest one after the interval', () => {
  const throttle = createRequestThrottle(1_000)
  const [owner, done] = [{}, [] as number[]]
  for (let i = 0; i < 100; i++) throttle(owner, () => done.push(i))
  expect(done).toStrictEqual([0])
  vi.advanceTimersByTime(999)
  expect(done).toStrictEqual([0])
  vi.advanceTimersByTime(1)
  expect(done).toStrictEqual([0, 99])
  throttle(owner, () => done.push(100))
  vi.advanceTimersByTime(1_000)
  expect(done).toStrictEqual([0, 99, 100])
})

test('SECURITY-3 a request of another owner, or after the interval, runs immediately', () => {
  const throttle = createRequestThrottle(1_000)
  const [owner, done] = [{}, [] as string[]]
  throttle(owner, () => done.push('first'))
  throttle({}, () => done.push('other'))
  vi.advanceTimersByTime(1_000)
  throttle(owner, () => done.push('later'))
  expect(done).toStrictEqual(['first', 'other', 'later'])
})
