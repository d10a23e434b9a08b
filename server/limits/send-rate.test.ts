import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RejectionError } from '../base/rejection-error.ts'
import { createSendRateLimit } from './send-rate.ts'

/** A raid guard that slows whoever it is asked about. */
const slowing = {
  forSender: () => () => {
    throw new RejectionError('rate_limited', 'slowed', 10_000)
  },
}
const calm = { forSender: () => () => undefined }
const shortBytes = 100

// Time stands still unless a test moves it: on a busy machine a thousand attempts would otherwise earn new ones.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Without `expect`, which takes longer than the attempt: of a whole network they are refused by the ten thousand. */
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

test('SECURITY-3 a connection has ten seconds’ worth at once, loopback or not', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, calm)
  expect(sent(rates.forConnection('127.0.0.1', false), 1_000)).toBeLessThan(220)
  expect(sent(rates.forConnection('127.0.0.1', false), 200)).toBe(200)
})

test('SECURITY-3 an address has its own over all its connections; loopback and 0 have none', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 30 }, calm)
  const accepted = [1, 2, 3].map(() => sent(rates.forConnection('203.0.113.7', false), 200))
  expect(accepted.reduce((sum, one) => sum + one, 0)).toBeLessThan(330)
  for (let i = 0; i < 3; i++) expect(sent(rates.forConnection('127.0.0.1', false), 200)).toBe(200)
  const unlimited = createSendRateLimit({ perConnection: 0, perAddress: 0 }, calm)
  expect(sent(unlimited.forConnection('203.0.113.7', false), 5_000)).toBe(5_000)
})

test('SECURITY-4 raid mode has its say after the rates, and none where MESSAGES_PER_SECOND is 0', () => {
  const slowed = createSendRateLimit({ perConnection: 20, perAddress: 100 }, slowing)
  expect(() => slowed.forConnection('203.0.113.7', false)(shortBytes)).toThrow('slowed')
  const off = createSendRateLimit({ perConnection: 0, perAddress: 100 }, slowing)
  expect(sent(off.forConnection('203.0.113.7', false), 10)).toBe(10)
})

const longestBytes = 16_300

test('LIMITS-4 bytes are a rate beside messages, for a connection and for an address over all its connections', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, calm)
  const local = sent(rates.forConnection('127.0.0.1', false), 100, longestBytes)
  expect(local * longestBytes).toBeLessThan(130_000)
  expect(local).toBeGreaterThanOrEqual(6)
  const accepted = Array.from({ length: 50 }, () => sent(rates.forConnection('203.0.113.7', false), 20, longestBytes))
  expect(accepted.reduce((sum, one) => sum + one, 0) * longestBytes).toBeLessThan(250_000)
  expect(sent(rates.forConnection('198.51.100.1', false), 1, longestBytes)).toBe(1)
})

test('LIMITS-4 a whole network at its limit leaves a reader on 2 Mbit/s below 1 MiB unread', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, calm)
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

test('LIMITS-4 however small the rate is set, the longest message can be sent', () => {
  const rates = createSendRateLimit({ perConnection: 0.2, perAddress: 0.5 }, calm)
  expect(sent(rates.forConnection('203.0.113.7', false), 1, longestBytes)).toBe(1)
})

test('LIMITS-4 messages of an ordinary length meet the limit of messages first', () => {
  const rates = createSendRateLimit({ perConnection: 20, perAddress: 100 }, calm)
  expect(sent(rates.forConnection('203.0.113.7', false), 200, 500)).toBe(200)
})
