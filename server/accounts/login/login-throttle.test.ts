import { expect, test } from 'vitest'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { AccountKey } from './account-key.ts'
import { createLoginThrottle } from './login-throttle.ts'

const abuser = '203.0.113.7'
const otherAddress = '198.51.100.1'
const wrong = async () => null
const right = async () => 'in' as const

function throttleAt(startMs = 1_000_000) {
  let nowMs = startMs
  const throttle = createLoginThrottle(() => nowMs)
  const attempt = (account: string, address: string, check: () => Promise<'in' | null> = wrong) =>
    throttle.guard(account as AccountKey, address, check).then(
      (result) => (result === null ? 'failed' : result),
      (error: unknown) => (error as RejectionError).retryAfterMs,
    )
  return { throttle, attempt, advance: (ms: number) => (nowMs += ms) }
}

test('SECURITY-3 no password is checked during the wait', async () => {
  const { attempt } = throttleAt()
  for (let i = 0; i < 5; i++) await attempt('bob', abuser)
  let checked = 0
  await attempt('bob', abuser, async () => {
    checked++
    return null
  })
  expect(checked).toBe(0)
})

test('SECURITY-3 failures expire', async () => {
  const { throttle, attempt, advance } = throttleAt()
  for (let i = 0; i < 1_000; i++) await attempt(`user ${i}`, `10.0.${i >> 8}.${i & 255}`)
  expect(throttle.size()).toBeGreaterThan(2_000)
  advance(25 * 3_600_000)
  await attempt('bob', abuser)
  expect(throttle.size()).toBe(5)
})

const subnet = (index: number) => `2001:db8:1:${index.toString(16)}::1`
const networkOf = (index: number) => `10.${index >> 8}.${index & 255}.7`

test('LIMITS-1 a /48 may fail 400 times an hour over all accounts, not 100 times 65,536', async () => {
  const { attempt } = throttleAt()
  const outcomes: unknown[] = []
  for (let i = 0; i < 1_000; i++) outcomes.push(await attempt(`user ${i}`, subnet(i * 61)))
  expect(outcomes.filter((outcome) => outcome === 'failed')).toHaveLength(400)
  expect(await attempt('user 1', otherAddress, right)).toBe('in')
})

test('LIMITS-5 during an attack, the owner can still log in from a new network at the first attempt', async () => {
  const { attempt } = throttleAt()
  for (let i = 0; i < 1_000; i++) await attempt('bob', networkOf(i))
  expect(await attempt('bob', '192.0.2.1', right)).toBe('in')
})

test('LIMITS-5 guesses from the same network do not delay the owner', async () => {
  const { attempt } = throttleAt()
  expect(await attempt('bob', '203.0.113.200', right)).toBe('in')
  for (let i = 0; i < 100; i++) await attempt('bob', `203.0.113.${i}`)
  for (let i = 0; i < 1_000; i++) await attempt(`user ${i}`, `203.0.113.${i % 100}`)
  expect(await attempt('alice', '203.0.113.201', right)).toBeGreaterThan(0)
  expect(await attempt('bob', '203.0.113.200', right)).toBe('in')
})

test('LIMITS-2 the number of entries is bounded for any number of accounts and networks', async () => {
  const { throttle, attempt } = throttleAt()
  for (let i = 0; i < 30_000; i++) await attempt(`user ${i}`, `2001:${(i >> 8).toString(16)}:${i & 255}::1`)
  expect(throttle.size()).toBeLessThan(70_000)
})
