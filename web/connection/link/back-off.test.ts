import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defaultTiming } from '../timing.ts'
import { backOffDelayMs } from './back-off.ts'

const limits = defaultTiming.backOff

test.each([
  [0, 500],
  [1, 1_000],
  [3, 4_000],
  [4, 5_000],
  [5_000, 5_000],
])('RT-6 after %i failures the delay is at most %i ms', (failures, limitMs) => {
  expect(backOffDelayMs(failures, 1, limits)).toBe(limitMs)
})

test('RT-6 the delay is spread over the whole range, also at the cap', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(fc.nat(2_000), random, (failures, share) => {
      const limitMs = backOffDelayMs(failures, 1, limits)
      expect(limitMs).toBeLessThanOrEqual(limits.capMs)
      expect(backOffDelayMs(failures, share, limits)).toBe(share * limitMs)
    }),
  )
})
