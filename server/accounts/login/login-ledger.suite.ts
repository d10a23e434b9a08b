import { beforeEach, describe, expect, test } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import { accountKey } from './account-key.ts'
import { lookupKeys } from '../names/find-account.ts'
import type { LoginLedger } from './login-ledger.ts'

const bob = accountKey(lookupKeys('bob'))
const abuser = '203.0.113.7'
const otherAddress = '198.51.100.1'
const subnet = (index: number) => `2001:db8:1:${index.toString(16)}::1`
const networkAt = (index: number) => `10.${index >> 8}.${index & 255}.7`
const wrong = async () => null
const right = async () => 'in' as const
type Check = () => Promise<'in' | null>

/** Opens ledgers that share their counts, one per node. The tests use the ledgers in turn, one for each attempt. */
export type OpenLedgers = (now: () => number) => Promise<readonly [LoginLedger, ...LoginLedger[]]>

/** Defines the tests of the `LoginLedger` interface. Run them for each implementation. */
export function describeLoginLedger(name: string, open: OpenLedgers): void {
  describe(`a login ledger ${name}`, () => {
    let nowMs: number
    let next: () => LoginLedger

    beforeEach(async () => {
      nowMs = 1_700_000_000_000
      const ledgers = await open(() => nowMs)
      let turn = 0
      next = () => ledgers[turn++ % ledgers.length] ?? ledgers[0]
    })

    const attempt = (account: string, address: string, check: Check = wrong) =>
      next()
        .guard(accountKey(lookupKeys(account)), address, check)
        .then(
          (result) => (result === null ? 'failed' : result),
          (error: unknown) => (error as RejectionError).retryAfterMs,
        )
    const failedOf = (outcomes: unknown[]) => outcomes.filter((outcome) => outcome === 'failed').length

    test('LEDGER-1 five failures are free, then the wait doubles from 1 s to 15 min, and a success resets it', async () => {
      for (let i = 0; i < 5; i++) expect(await attempt('bob', abuser)).toBe('failed')
      const waits: unknown[] = []
      for (let i = 0; i < 12; i++) {
        const waitMs = await attempt('bob', abuser)
        waits.push(waitMs)
        nowMs += Number(waitMs)
        expect(await attempt('bob', abuser)).toBe('failed')
      }
      expect(waits).toStrictEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900].map((seconds) => seconds * 1_000))
      nowMs += 900_000
      expect(await attempt('bob', abuser, right)).toBe('in')
      for (let i = 0; i < 5; i++) expect(await attempt('bob', abuser)).toBe('failed')
      expect(await attempt('bob', abuser, right)).toBe(1_000)
    })

    test('LEDGER-1 the back-off applies to one account and one address, also on loopback', async () => {
      for (let i = 0; i < 5; i++) await attempt('bob', '127.0.0.1')
      expect(await attempt('bob', '127.0.0.1', right)).toBe(1_000)
      expect(await attempt('bob', otherAddress, right)).toBe('in')
      expect(await attempt('alice', '127.0.0.1', right)).toBe('in')
    })

    test('LEDGER-1 five of a hundred concurrent attempts on all nodes are checked', async () => {
      expect(failedOf(await Promise.all(Array.from({ length: 100 }, () => attempt('bob', abuser))))).toBe(5)
    })

    test('LEDGER-1 many concurrent successful logins all succeed', async () => {
      const first = next()
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => first.guard(bob, abuser, right)))
      expect(new Set(outcomes)).toStrictEqual(new Set(['in']))
    })

    test('LEDGER-1 a check that throws does not count as a failure, also after earlier failures', async () => {
      for (let i = 0; i < 4; i++) await attempt('bob', abuser)
      for (let i = 0; i < 10; i++) {
        const unavailable = () => Promise.reject(new Error('away'))
        await expect(next().guard(bob, abuser, unavailable)).rejects.toThrow('away')
      }
      expect(await attempt('bob', abuser)).toBe('failed')
      nowMs += 999
      expect(await attempt('bob', abuser)).toBe(1)
      nowMs += 1
      await expect(next().guard(bob, abuser, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
      expect(await attempt('bob', abuser, right)).toBe('in')
    })

    test('LEDGER-1 failures expire', async () => {
      for (let i = 0; i < 5; i++) await attempt('bob', abuser)
      nowMs += 24 * 3_600_000
      for (let i = 0; i < 5; i++) expect(await attempt('bob', abuser)).toBe('failed')
    })

    test('LEDGER-1 an address may fail 100 times an hour over all accounts; loopback has no limit', async () => {
      for (let i = 0; i < 100; i++) expect(await attempt(`user ${i}`, abuser)).toBe('failed')
      expect(await attempt('yet another', abuser, right)).toBe(36_000)
      expect(await attempt('yet another', otherAddress, right)).toBe('in')
      nowMs += 36_000
      expect(await attempt('yet another', abuser, right)).toBe('in')
      for (let i = 0; i < 110; i++) expect(await attempt(`user ${i}`, '::1')).toBe('failed')
    })

    test('LEDGER-2 twenty of the guesses from many /64s of one /48 are checked, concurrent or not', async () => {
      const oneByOne: unknown[] = []
      for (let i = 0; i < 40; i++) oneByOne.push(await attempt('bob', subnet(i * 97)))
      expect(failedOf(oneByOne)).toBe(20)
      const atOnce = await Promise.all(Array.from({ length: 40 }, (_, i) => attempt('alice', subnet(i * 97))))
      expect(failedOf(atOnce)).toBe(20)
    })

    test('LEDGER-2 successful logins from new addresses do not use up the failures of their network', async () => {
      for (let i = 0; i < 25; i++) expect(await attempt('bob', `203.0.113.${i}`, right)).toBe('in')
      for (let i = 30; i < 50; i++) expect(await attempt('bob', `203.0.113.${i}`)).toBe('failed')
      expect(await attempt('bob', '203.0.113.99')).toBe(1_000)
    })

    test('LEDGER-2 an attack on an account delays only addresses without a successful login', async () => {
      expect(await attempt('bob', otherAddress, right)).toBe('in')
      for (let i = 0; i < 50; i++) expect(await attempt('bob', networkAt(i))).toBe('failed')
      expect(await attempt('bob', abuser)).toBe('failed')
      expect(await attempt('bob', abuser, right)).toBe(60_000)
      for (let i = 0; i < 4; i++) expect(await attempt('bob', otherAddress)).toBe('failed')
      expect(await attempt('bob', otherAddress, right)).toBe('in')
      nowMs += 60_000
      expect(await attempt('bob', abuser)).toBe('failed')
      expect(await attempt('bob', abuser)).toBe(120_000)
      expect(await attempt('alice', abuser)).toBe('failed')
    })

    test('LEDGER-2 guesses from the same network do not delay the owner, whose address is known since registration', async () => {
      await next().addKnownAddress(bob, '203.0.113.200')
      for (let i = 0; i < 30; i++) await attempt('bob', `203.0.113.${i}`)
      expect(await attempt('bob', '203.0.113.199', right)).toBeGreaterThan(0)
      expect(await attempt('bob', '203.0.113.200', right)).toBe('in')
    })

    test('LEDGER-3 an address may register thirty accounts at once, then one a minute; its network four times as many', async () => {
      const register = (address: string) => next().takeRegistration(networksOf(address))
      for (let i = 0; i < 30; i++) expect(await register(abuser)).toBe(0)
      expect(await register(abuser)).toBe(60_000)
      for (let host = 20; host < 23; host++) {
        for (let i = 0; i < 30; i++) expect(await register(`203.0.113.${host}`)).toBe(0)
      }
      expect(await register('203.0.113.23')).toBe(15_000)
      expect(await register(otherAddress)).toBe(0)
      nowMs += 60_000
      expect(await register(abuser)).toBe(0)
      for (let i = 0; i < 200; i++) expect(await next().takeRegistration(null)).toBe(0)
    })
  })
}
