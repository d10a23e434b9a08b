import { beforeEach, describe, expect, test } from 'vitest'
import { networksOf } from '../../limits/addresses.ts'
import type { RejectionError } from '../../base/rejection-error.ts'
import type { LoginLedger } from './login-ledger.ts'

const abuser = '203.0.113.7'
const elsewhere = '198.51.100.1'
const subnet = (index: number) => `2001:db8:1:${index.toString(16)}::1`
const networkAt = (index: number) => `10.${index >> 8}.${index & 255}.7`
const wrong = async () => null
const right = async () => 'in' as const
type Check = () => Promise<'in' | null>

/** Ledgers that count together, each as a node has it; the tests go from one to the next with each attempt. */
export type OpenLedgers = (now: () => number) => Promise<readonly [LoginLedger, ...LoginLedger[]]>

/** What every login ledger promises; run it against each implementation. */
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
        .guard(account, address, check)
        .then(
          (result) => (result === null ? 'failed' : result),
          (error: unknown) => (error as RejectionError).retryAfterMs,
        )
    const failedOf = (outcomes: unknown[]) => outcomes.filter((outcome) => outcome === 'failed').length

    test('LEDGER-1 five failures are free, then the wait doubles from 1 s to 15 min, and a success forgets them', async () => {
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

    test('LEDGER-1 the pair waits on loopback too; another account or another address does not', async () => {
      for (let i = 0; i < 5; i++) await attempt('bob', '127.0.0.1')
      expect(await attempt('bob', '127.0.0.1', right)).toBe(1_000)
      expect(await attempt('bob', elsewhere, right)).toBe('in')
      expect(await attempt('alice', '127.0.0.1', right)).toBe('in')
    })

    test('LEDGER-1 a hundred attempts at once, wherever they are made, are worth five', async () => {
      expect(failedOf(await Promise.all(Array.from({ length: 100 }, () => attempt('bob', abuser))))).toBe(5)
    })

    test('LEDGER-1 many right logins at once all get in', async () => {
      const first = next()
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => first.guard('bob', abuser, right)))
      expect(new Set(outcomes)).toStrictEqual(new Set(['in']))
    })

    test('LEDGER-1 a check that could not be made is no failure, whatever failed before', async () => {
      for (let i = 0; i < 4; i++) await attempt('bob', abuser)
      for (let i = 0; i < 10; i++) {
        const away = () => Promise.reject(new Error('away'))
        await expect(next().guard('bob', abuser, away)).rejects.toThrow('away')
      }
      expect(await attempt('bob', abuser)).toBe('failed')
      nowMs += 999
      expect(await attempt('bob', abuser)).toBe(1)
      nowMs += 1
      await expect(next().guard('bob', abuser, () => Promise.reject(new Error('away')))).rejects.toThrow('away')
      expect(await attempt('bob', abuser, right)).toBe('in')
    })

    test('LEDGER-1 what is long past is forgotten', async () => {
      for (let i = 0; i < 5; i++) await attempt('bob', abuser)
      nowMs += 24 * 3_600_000
      for (let i = 0; i < 5; i++) expect(await attempt('bob', abuser)).toBe('failed')
    })

    test('LEDGER-1 an address may fail 100 times an hour over all accounts, loopback as often as it likes', async () => {
      for (let i = 0; i < 100; i++) expect(await attempt(`user ${i}`, abuser)).toBe('failed')
      expect(await attempt('yet another', abuser, right)).toBe(36_000)
      expect(await attempt('yet another', elsewhere, right)).toBe('in')
      nowMs += 36_000
      expect(await attempt('yet another', abuser, right)).toBe('in')
      for (let i = 0; i < 110; i++) expect(await attempt(`user ${i}`, '::1')).toBe('failed')
    })

    test('LEDGER-2 guesses from the many /64s of one /48 are worth twenty, at once or one by one', async () => {
      const oneByOne: unknown[] = []
      for (let i = 0; i < 40; i++) oneByOne.push(await attempt('bob', subnet(i * 97)))
      expect(failedOf(oneByOne)).toBe(20)
      const atOnce = await Promise.all(Array.from({ length: 40 }, (_, i) => attempt('alice', subnet(i * 97))))
      expect(failedOf(atOnce)).toBe(20)
    })

    test('LEDGER-2 right logins from ever new addresses of one network use up nothing of it', async () => {
      for (let i = 0; i < 25; i++) expect(await attempt('bob', `203.0.113.${i}`, right)).toBe('in')
      for (let i = 30; i < 50; i++) expect(await attempt('bob', `203.0.113.${i}`)).toBe('failed')
      expect(await attempt('bob', '203.0.113.99')).toBe(1_000)
    })

    test('LEDGER-2 an account under attack is slow for networks that never logged in, not for those that did', async () => {
      expect(await attempt('bob', elsewhere, right)).toBe('in')
      for (let i = 0; i < 50; i++) expect(await attempt('bob', networkAt(i))).toBe('failed')
      expect(await attempt('bob', abuser)).toBe('failed')
      expect(await attempt('bob', abuser, right)).toBe(60_000)
      for (let i = 0; i < 4; i++) expect(await attempt('bob', elsewhere)).toBe('failed')
      expect(await attempt('bob', elsewhere, right)).toBe('in')
      nowMs += 60_000
      expect(await attempt('bob', abuser)).toBe('failed')
      expect(await attempt('bob', abuser)).toBe(120_000)
      expect(await attempt('alice', abuser)).toBe('failed')
    })

    test('LEDGER-2 neighbours who guess do not slow the owner down, who is known from the registration on', async () => {
      await next().addKnownAddress('bob', '203.0.113.200')
      for (let i = 0; i < 30; i++) await attempt('bob', `203.0.113.${i}`)
      expect(await attempt('bob', '203.0.113.199', right)).toBeGreaterThan(0)
      expect(await attempt('bob', '203.0.113.200', right)).toBe('in')
    })

    test('LEDGER-3 thirty registrations from an address at once, then one a minute; four times as many from its network', async () => {
      const register = (address: string) => next().takeRegistration(networksOf(address))
      for (let i = 0; i < 30; i++) expect(await register(abuser)).toBe(0)
      expect(await register(abuser)).toBe(60_000)
      for (let host = 20; host < 23; host++) {
        for (let i = 0; i < 30; i++) expect(await register(`203.0.113.${host}`)).toBe(0)
      }
      expect(await register('203.0.113.23')).toBe(15_000)
      expect(await register(elsewhere)).toBe(0)
      nowMs += 60_000
      expect(await register(abuser)).toBe(0)
      for (let i = 0; i < 200; i++) expect(await next().takeRegistration(null)).toBe(0)
    })
  })
}
