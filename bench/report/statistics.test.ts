import { expect, test } from 'vitest'
import { logSlope, median, mergeBuckets, percentile } from './statistics.ts'

test('BENCH-4 the median is correct for odd and even numbers of runs', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})

test('BENCH-4 the slope of y = x² is 2 and the slope of a constant is 0', () => {
  const xs = [100, 300, 1_000, 10_000]
  expect(logSlope(xs.map((x) => ({ x, y: 5 * x * x })))).toBeCloseTo(2)
  expect(logSlope(xs.map((x) => ({ x, y: 7 })))).toBeCloseTo(0)
})

test('BENCH-4 a percentile is the upper edge of its bucket in the merged histogram', () => {
  const buckets = mergeBuckets([{ 0: 98 }, { 9: 1, 99: 1 }])
  expect(percentile(buckets, 0.5, 0.1)).toBeCloseTo(0.1)
  expect(percentile(buckets, 0.99, 0.1)).toBeCloseTo(1)
  expect(percentile(buckets, 1, 0.1)).toBeCloseTo(10)
})
