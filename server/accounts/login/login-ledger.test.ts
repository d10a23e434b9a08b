import { expect, onTestFinished, test, vi } from 'vitest'
import { accountKey } from './account-key.ts'
import { lookupKeys } from '../names/find-account.ts'
import { createMemoryLoginLedger } from './login-ledger.ts'
import { describeLoginLedger } from './login-ledger.suite.ts'

describeLoginLedger('in memory', async (now) => [createMemoryLoginLedger(now)])

test('SECURITY-3 a clock that is set back does not lengthen the back-off after failed logins', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const ledger = createMemoryLoginLedger()
  const attempt = () => ledger.guard(accountKey(lookupKeys('bob')), '203.0.113.7', async () => null)
  for (let i = 0; i < 5; i++) await attempt()
  vi.setSystemTime(Date.now() - 6 * 3_600_000)
  await expect(attempt()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 1_000 })
  vi.advanceTimersByTime(1_000)
  expect(await attempt()).toBeNull()
})
