import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { accountKey } from '../../server/accounts/login/account-key.ts'
import { loginAttempt } from '../../server/accounts/login/login-limits.ts'
import { lookupKeys } from '../../server/accounts/names/find-account.ts'
import { describeLoginLedger } from '../../server/accounts/login/login-ledger.suite.ts'
import { ledgerKeys, maxLedgerEntries } from '../../server/storage/redis/logins/ledger-scripts.ts'
import { createRedisLoginLedger } from '../../server/storage/redis/logins/redis-login-ledger.ts'
import { collectEvents } from '../../server/observe/events.suite.ts'
import { networksOf } from '../../server/limits/addresses.ts'
import { createRedisLink } from '../../server/storage/redis/redis-link.ts'
import { measureAwakeMs } from '../support/measure-awake-time.ts'
import { startRedisPair } from '../support/redis-failover.ts'
import { startRedis } from '../support/redis-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
beforeAll(async () => {
  // These tests do not cover durability, and appendonly takes time.
  redis = await startRedis({ settings: { appendonly: 'no' } })
})
afterAll(() => redis.close())
beforeEach(() => void redis.command('FLUSHALL'))

function openLedger(now?: () => number, url = redis.url) {
  const link = createRedisLink(url, 'test')
  onTestFinished(() => link.close())
  const { report, of } = collectEvents()
  // A test with a fake clock checks only the counts. The long deadline avoids the fallback on a busy machine.
  const clock = now === undefined ? {} : { now, deadlineMs: 30_000 }
  return { ledger: createRedisLoginLedger(link, report, clock), ledgerFailures: () => of('redis-ledger-failed') }
}

describeLoginLedger('on Redis, of three nodes', async (now) => [
  openLedger(now).ledger,
  openLedger(now).ledger,
  openLedger(now).ledger,
])

const bob = [accountKey(lookupKeys('bob')), '203.0.113.7'] as const
const wrong = async () => null
const right = async () => 'in' as const

test('LEDGER-1 the ledger uses the time of Redis, so that a wrong clock of a node has no effect', async () => {
  const { ledger } = openLedger()
  // Short waits may pass by themselves on a slow machine.
  let rejection: unknown = null
  for (let i = 0; i < 12 && rejection === null; i++)
    rejection = await ledger.guard(...bob, wrong).catch((error) => error)
  expect(rejection).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) })
  expect((rejection as { retryAfterMs: number }).retryAfterMs).toBeLessThanOrEqual(900_000)
})

test('LEDGER-1 LEDGER-3 a clock of Redis that is set back lengthens no wait', async () => {
  let nowMs = 1_700_000_000_000
  const { ledger } = openLedger(() => nowMs)
  const registering = networksOf('198.51.100.1')
  for (let i = 0; i < 5; i++) await ledger.guard(...bob, wrong)
  for (let i = 0; i < 30; i++) await ledger.takeRegistration(registering)
  nowMs -= 6 * 3_600_000
  await expect(ledger.guard(...bob, right)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 })
  expect(await ledger.takeRegistration(registering)).toBe(60_000)
  nowMs += 1_000
  expect(await ledger.guard(...bob, right)).toBe('in')
  nowMs += 59_000
  expect(await ledger.takeRegistration(registering)).toBe(0)
})

test('LEDGER-4 the ledger is bounded and evicts the least recently used entries', async () => {
  const { ledger } = openLedger(() => 1_700_000_000_000)
  for (let i = 0; i < 5; i++) await ledger.guard(...bob, wrong)
  const [failures = '', ages = ''] = ledgerKeys
  const script = `for i = 1, ${maxLedgerEntries} do redis.call('HSET', KEYS[1], 'x' .. i, '1:1'); redis.call('ZADD', KEYS[2], i, 'x' .. i) end`
  redis.command('EVAL', script, '2', failures, ages)
  for (let i = 0; i < 4; i++) await ledger.guard(accountKey(lookupKeys(`user ${i}`)), bob[1], wrong)
  for (const [command, key] of [
    ['HLEN', failures],
    ['ZCARD', ages],
  ] as const) {
    expect(Number(redis.command(command, key))).toBeLessThan(maxLedgerEntries)
  }
  await expect(ledger.guard(...bob, right)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('LEDGER-1 failed logins are counted in Redis after a failover that leaves connections to the old primary open', async () => {
  const pair = await startRedisPair()
  onTestFinished(() => pair.close())
  const { ledger } = openLedger(undefined, pair.url)
  await ledger.guard(...bob, wrong)
  await pair.failOver()
  const [failures = ''] = ledgerKeys
  const countedBefore = Number(pair.replica.command('HLEN', failures))
  expect(countedBefore).toBeGreaterThan(0)
  const countAnother = async () => {
    await ledger.guard(accountKey(lookupKeys('carol')), bob[1], wrong).catch(() => undefined)
    return Number(pair.replica.command('HLEN', failures))
  }
  await expect.poll(countAnother).toBeGreaterThan(countedBefore)
})

describe('without Redis', () => {
  test('LEDGER-5 without Redis each node applies its own limits: logins succeed and guesses are limited', async () => {
    const { ledger, ledgerFailures } = openLedger()
    await redis.kill()
    onTestFinished(() => redis.start())
    expect(await ledger.guard(...bob, right)).toBe('in')
    for (let i = 0; i < 5; i++) expect(await ledger.guard(...bob, wrong)).toBeNull()
    await expect(ledger.guard(...bob, right)).rejects.toMatchObject({ code: 'rate_limited' })
    const networks = networksOf(bob[1])
    for (let i = 0; i < 30; i++) expect(await ledger.takeRegistration(networks)).toBe(0)
    expect(await ledger.takeRegistration(networks)).toBeGreaterThan(0)
    expect(ledgerFailures().length).toBeGreaterThan(0)
  })

  test('LEDGER-5 a Redis that hangs delays a login by about a second and is used again when it is back', async () => {
    const { ledger, ledgerFailures } = openLedger()
    for (let i = 0; i < 4; i++) await ledger.guard(...bob, wrong)
    redis.pause()
    const loginMs = await measureAwakeMs(async () =>
      expect(await ledger.guard(accountKey(lookupKeys('alice')), bob[1], right)).toBe('in'),
    )
    expect(loginMs).toBeLessThan(5_000)
    expect(ledgerFailures()).toHaveLength(1)
    redis.resume()
    // Read the count in Redis: while the ledger does not use Redis, this node limits the sixth failure by itself.
    const [failures = ''] = ledgerKeys
    const { pair } = loginAttempt(...bob)
    const countInRedis = async () => {
      await ledger.guard(...bob, wrong).catch(() => undefined)
      return Number(redis.command('HGET', failures, pair).split(':')[0])
    }
    await expect.poll(countInRedis).toBeGreaterThan(4)
  })
})
