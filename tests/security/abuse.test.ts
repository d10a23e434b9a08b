import { expect, onTestFinished, test } from 'vitest'
import { abuse } from './measure/abuse.ts'
import { crowdOfLogins, registerAccounts } from './measure/logins.ts'
import { startMeasuredServer } from './measure/measured-server.ts'

const keptOut = 'This address has sent far too much.'

async function startServer() {
  const server = await startMeasuredServer()
  onTestFinished(() => server.close())
  return server
}

test(
  'SECURITY-3 one address at full speed is refused with reasons, and nobody else misses a word',
  { timeout: 120_000 },
  async () => {
    const isKeptOut = ({ reasons }: { reasons: Record<string, number> }) => Object.hasOwn(reasons, keptOut)
    const { tally, tookSeconds, chat } = await abuse(await startServer(), 5, 10, isKeptOut)
    expect(tally.refused).toBeGreaterThan(0)
    expect(tally.cutOff).toBeGreaterThan(0)
    expect(Object.keys(tally.reasons)).toEqual(expect.arrayContaining(['You are sending too fast.', keptOut]))
    // Ten seconds' worth at once, then the rate of an address.
    expect(tally.accepted).toBeLessThan(1_500 + 100 * tookSeconds)
    expect(chat.sent).toBeGreaterThan(20)
    expect(chat.missing).toBe(0)
  },
)

test('SECURITY-2 many who log in at once all get in, and the chat goes on', { timeout: 120_000 }, async () => {
  const server = await startServer()
  await registerAccounts(server, 40)
  const { succeeded, chat } = await crowdOfLogins(server, 40)
  expect(succeeded).toBe(40)
  expect(chat.missing).toBe(0)
})
