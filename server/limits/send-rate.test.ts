import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RejectionError } from '../base/rejection-error.ts'
import { createSendRateLimit } from './send-rate.ts'

/** Raid guard that rejects every sender. */
const rejecting = {
  forSender: () => () => {
    throw new RejectionError('rate_limited', 'slowed', 10_000)
  },
}
const inactive = { forSender: () => () => () => undefined }
const shortBytes = 100

// Freeze the clock: on a busy machine the buckets would refill during a thousand attempts.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

/**
 * Returns whether an error is a rejection for sending too fast, with a time to wait. Does not use `expect`, which takes
 * longer than an attempt: the tests make tens of thousands of attempts.
 */
function isTooFast(error: unknown): boolean {
  return error instanceof RejectionError && error.code === 'rate_limited' && typeof error.retryAfterMs === 'number'
}

function sent(send: (messageBytes: number) => void, times: number, messageBytes = shortBytes): number {
  let accepted = 0
  for (let i = 0; i < times; i++) {
    try {
      send(messageBytes)
      accepted++
    } catch (error) {
      if (!isTooFast(error)) throw error
    }
  }
  return accepted
}

test('SECURITY-3 the burst of a connection is ten seconds of its rate, also on loopback', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, inactive)
  expect(sent(rates.forConnection('127.0.0.1', false), 1_000)).toBeLessThan(220)
  expect(sent(rates.forConnection('127.0.0.1', false), 200)).toBe(200)
})

test('SECURITY-3 an address has one limit for all its connections; loopback and a rate of 0 have none', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 30 }, inactive)
  const accepted = [1, 2, 3].map(() => sent(rates.forConnection('203.0.113.7', false), 200))
  expect(accepted.reduce((sum, one) => sum + one, 0)).toBeLessThan(330)
  for (let i = 0; i < 3; i++) expect(sent(rates.forConnection('127.0.0.1', false), 200)).toBe(200)
  const unlimited = createSendRateLimit({ perConnection: 0, perAddress: 0 }, inactive)
  expect(sent(unlimited.forConnection('203.0.113.7', false), 5_000)).toBe(5_000)
})

test('SECURITY-4 raid mode applies after the rate limits, and is off when MESSAGES_PER_SECOND is 0', () => {
  const slowed = createSendRateLimit({ perConnection: 20, perAddress: 100 }, rejecting)
  expect(() => slowed.forConnection('203.0.113.7', false)(shortBytes)).toThrow('slowed')
  const off = createSendRateLimit({ perConnection: 0, perAddress: 100 }, rejecting)
  expect(sent(off.forConnection('203.0.113.7', false), 10)).toBe(10)
})

const longestBytes = 16_300

test('LIMITS-4 bytes have their own rate limit, per connection and per address', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, inactive)
  const local = sent(rates.forConnection('127.0.0.1', false), 100, longestBytes)
  expect(local * longestBytes).toBeLessThan(130_000)
  expect(local).toBeGreaterThanOrEqual(6)
  const accepted = Array.from({ length: 50 }, () => sent(rates.forConnection('203.0.113.7', false), 20, longestBytes))
  expect(accepted.reduce((sum, one) => sum + one, 0) * longestBytes).toBeLessThan(250_000)
  expect(sent(rates.forConnection('198.51.100.1', false), 1, longestBytes)).toBe(1)
})

test('LIMITS-4 a network at its limit leaves less than 1 MiB unread on a receiver with 2 Mbit/s', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, inactive)
  const senders = Array.from({ length: 64 }, (_, i) => rates.forConnection(`2001:db8:1:${i}00::1`, false))
  let [unreadBytes, mostUnreadBytes] = [0, 0]
  for (let second = 0; second < 60; second++) {
    for (const send of senders) unreadBytes += sent(send, 20, longestBytes) * longestBytes
    mostUnreadBytes = Math.max(mostUnreadBytes, unreadBytes)
    unreadBytes = Math.max(0, unreadBytes - 250_000)
    vi.advanceTimersByTime(1_000)
  }
  expect(mostUnreadBytes).toBeLessThan(1_048_576)
  expect(mostUnreadBytes).toBeGreaterThan(100_000)
})

test('LIMITS-4 the longest message can be sent at any rate setting', () => {
  const rates = createSendRateLimit({ perConnection: 0.2, perAddress: 0.5 }, inactive)
  expect(sent(rates.forConnection('203.0.113.7', false), 1, longestBytes)).toBe(1)
})

test('LIMITS-4 messages of typical length reach the message limit before the byte limit', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, inactive)
  expect(sent(rates.forConnection('203.0.113.7', false), 200, 500)).toBe(200)
})
