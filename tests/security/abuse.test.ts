import { expect, onTestFinished, test } from 'vitest'
import { abuse } from './measure/abuse.ts'
import { runConcurrentLogins, registerAccounts } from './measure/logins.ts'
import { startMeasuredServer } from './measure/measured-server.ts'

const blockedReason = 'This address has sent far too much. Please try again later.'

async function startServer() {
  const server = await startMeasuredServer()
  onTestFinished(() => server.close())
  return server
}

test(
  'SECURITY-3 a flood from one address is rejected with reasons, and other clients miss no message',
  { timeout: 120_000 },
  async () => {
    const isBlocked = ({ reasons }: { reasons: Record<string, number> }) => Object.hasOwn(reasons, blockedReason)
    const { tally, tookSeconds, chat } = await abuse(await startServer(), 5, 10, isBlocked)
    expect(tally.rejected).toBeGreaterThan(0)
    expect(tally.closed).toBeGreaterThan(0)
    expect(Object.keys(tally.reasons)).toEqual(expect.arrayContaining(['You are sending too fast.', blockedReason]))
    // The limit is a burst of ten seconds, then the rate of one address.
    expect(tally.accepted).toBeLessThan(1_500 + 100 * tookSeconds)
    expect(chat.sent).toBeGreaterThan(20)
    expect(chat.missing).toBe(0)
  },
)

test('SECURITY-2 many concurrent logins all succeed while chat continues', { timeout: 120_000 }, async () => {
  const server = await startServer()
  await registerAccounts(server, 40)
  const { succeeded, chat } = await runConcurrentLogins(server, 40)
  expect(succeeded).toBe(40)
  expect(chat.missing).toBe(0)
})
