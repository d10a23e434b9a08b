import { expect, test } from 'vitest'
import { createBucketPerAddress } from './bucket-per-address.ts'

const abuser = '203.0.113.7'

test('SECURITY-3 an address has its burst, then its rate, and is told how long to wait', () => {
  const buckets = createBucketPerAddress(2, 3)
  expect([1, 2, 3].map(() => buckets.take(abuser, 0))).toStrictEqual([0, 0, 0])
  expect(buckets.take(abuser, 0)).toBe(500)
  expect(buckets.take(abuser, 250)).toBe(250)
  expect(buckets.take(abuser, 500)).toBe(0)
})

test('SECURITY-3 what one address used up, others do not feel; loopback has no limit, nor has a rate of 0', () => {
  const buckets = createBucketPerAddress(1, 1)
  buckets.take(abuser, 0)
  expect(buckets.take(abuser, 0)).toBeGreaterThan(0)
  expect(buckets.take('203.0.113.8', 0)).toBe(0)
  for (let i = 0; i < 100; i++) expect(buckets.take(null, 0)).toBe(0)
  const unlimited = createBucketPerAddress(0)
  for (let i = 0; i < 100; i++) expect(unlimited.take(abuser, 0)).toBe(0)
})

test('SECURITY-3 addresses that have been quiet are forgotten', () => {
  const buckets = createBucketPerAddress(1, 1)
  for (let i = 0; i < 1_000; i++) buckets.take(`10.0.${i >> 8}.${i & 255}`, 0)
  expect(buckets.size()).toBe(1_000)
  buckets.take(abuser, 61_000)
  expect(buckets.size()).toBe(1)
})

test('SECURITY-3 a clock that is set back costs nobody anything', () => {
  const buckets = createBucketPerAddress(1, 2)
  buckets.take(abuser, 1_000_000)
  expect(buckets.take(abuser, 0)).toBe(0)
})
