import { expect, test } from 'vitest'
import { networksOf } from './addresses.ts'
import { createNetworkBuckets, maxBuckets } from './network-buckets.ts'

const abuser = networksOf('203.0.113.7')
const subnetOf = (index: number) => networksOf(`2001:db8:1:${index.toString(16)}::1`)

test('SECURITY-3 an address has its burst, then its rate, and gets the time to wait', () => {
  const buckets = createNetworkBuckets({ perSecond: 2, burst: 3 })
  expect([1, 2, 3].map(() => buckets.take(abuser, 0))).toStrictEqual([0, 0, 0])
  expect(buckets.take(abuser, 0)).toBe(500)
  expect(buckets.take(abuser, 250)).toBe(250)
  expect(buckets.take(abuser, 500)).toBe(0)
})

test('SECURITY-3 a late charge after a pause takes at most the burst, and the rest is a debt', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 10 })
  buckets.spend(abuser, 0, 10)
  buckets.spend(abuser, 50_000, 15)
  expect(buckets.waitMs(abuser, 50_000)).toBe(6_000)
})

test('SECURITY-3 an exhausted address does not affect others; loopback and a rate of 0 have no limit', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 1 })
  buckets.take(abuser, 0)
  for (let i = 0; i < 100; i++) expect(buckets.take(abuser, 0)).toBeGreaterThan(0)
  expect(buckets.take(networksOf('203.0.113.8'), 0)).toBe(0)
  for (let i = 0; i < 100; i++) expect(buckets.take(null, 0)).toBe(0)
  const unlimited = createNetworkBuckets({ perSecond: 0, burst: 0 })
  for (let i = 0; i < 100; i++) expect(unlimited.take(abuser, 0)).toBe(0)
})

test('LIMITS-1 the limit of a /48 is four times that of a /64, the limit of a /56 twice', () => {
  const wide = createNetworkBuckets({ perSecond: 1, burst: 10 })
  const spread = Array.from({ length: 1_000 }, (_, i) => wide.take(subnetOf(i * 61), 0))
  expect(spread.filter((waitMs) => waitMs === 0)).toHaveLength(40)
  expect(wide.take(subnetOf(65_535), 0)).toBe(250)
  expect(wide.take(networksOf('2001:db8:2::1'), 0)).toBe(0)
  const site = createNetworkBuckets({ perSecond: 1, burst: 10 })
  const near = Array.from({ length: 256 }, (_, i) => site.take(subnetOf(i), 0))
  expect(near.filter((waitMs) => waitMs === 0)).toHaveLength(20)
})

test('LIMITS-1 the limit of a /24 is four times that of an IPv4 address', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 10 })
  const waits = Array.from({ length: 256 }, (_, i) => buckets.take(networksOf(`198.51.100.${i}`), 0))
  expect(waits.filter((waitMs) => waitMs === 0)).toHaveLength(40)
  expect(buckets.take(networksOf('198.51.101.1'), 0)).toBe(0)
})

test('LIMITS-1 rejected requests of an address do not use up the limit of its network', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 10 })
  for (let i = 0; i < 1_000; i++) buckets.take(subnetOf(1), 0)
  expect(Array.from({ length: 10 }, () => buckets.take(subnetOf(2), 0))).toStrictEqual(Array<number>(10).fill(0))
})

test('LIMITS-1 an amount above the burst waits only for a full bucket', () => {
  const buckets = createNetworkBuckets({ perSecond: 100, burst: 1_000 })
  expect(buckets.take(abuser, 0, 900)).toBe(0)
  expect(buckets.take(abuser, 0, 200)).toBe(1_000)
  expect(buckets.take(abuser, 0, 5_000)).toBeGreaterThan(0)
  expect(buckets.take(abuser, 9_000, 5_000)).toBe(0)
})

test('LIMITS-2 requests from all of a /48 leave few entries, requests from very many networks a bounded number', () => {
  const buckets = createNetworkBuckets({ perSecond: 20, burst: 512 })
  for (let i = 0; i < 65_536; i += 8) buckets.take(subnetOf(i), 0)
  expect(buckets.size()).toBeLessThan(3_000)
  for (let i = 0; i < 25_000; i++) buckets.take(networksOf(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`), 0)
  for (let i = 0; i < 25_000; i++) buckets.take(networksOf(`2001:${i.toString(16)}:1::1`), 0)
  expect(buckets.size()).toBeLessThanOrEqual(3 * maxBuckets)
})

test('SECURITY-3 inactive addresses are evicted', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 1 })
  for (let i = 0; i < 1_000; i++) buckets.take(networksOf(`10.${i >> 8}.${i & 255}.1`), 0)
  expect(buckets.size()).toBe(2_000)
  buckets.take(abuser, 61_000)
  expect(buckets.size()).toBe(2)
})

test('SECURITY-3 a clock that is set back takes no tokens', () => {
  const buckets = createNetworkBuckets({ perSecond: 1, burst: 2 })
  buckets.take(abuser, 1_000_000)
  expect(buckets.take(abuser, 0)).toBe(0)
})
