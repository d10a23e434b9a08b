import { expect, test } from 'vitest'
import { RefusalError } from '../refusal-error.ts'
import { createSendRateLimit } from './send-rate.ts'

/** A raid guard that slows whoever it is asked about. */
const slowing = {
  forSender: () => () => {
    throw new RefusalError('rate_limited', 'slowed', 10_000)
  },
}
const calm = { forSender: () => () => undefined }

function sent(send: () => void, times: number): number {
  let accepted = 0
  for (let i = 0; i < times; i++) {
    try {
      send()
      accepted++
    } catch (error) {
      expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) })
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
  expect(() => slowed.forConnection('203.0.113.7', false)()).toThrow('slowed')
  const off = createSendRateLimit({ perConnection: 0, perAddress: 100 }, slowing)
  expect(sent(off.forConnection('203.0.113.7', false), 10)).toBe(10)
})
