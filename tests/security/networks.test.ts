import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import { createLocalAccounts } from '../../server/accounts/accounts.suite.ts'
import { ignoreStoreCallbacks } from '../../server/storage/sqlite/store-callbacks.suite.ts'
import { openSqliteAccountStore } from '../../server/storage/sqlite/accounts/sqlite-account-store.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { temporaryFolder } from '../support/spawn-server.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'
import { startBehindProxy } from './from-address.ts'

const subnet = (index: number) => `2001:db8:1:${(index * 61).toString(16)}::1`
const visitor = '198.51.100.1'
const sharedServer = shareServer()
const codeOf = (error: unknown) => (error as { code: string }).code

/** Starts accounts with a fake hash, because a thousand real hashes would take too long. */
async function startAccounts() {
  const store = await openSqliteAccountStore(join(temporaryFolder(), 'accounts.sqlite'), ignoreStoreCallbacks)
  onTestFinished(() => store.close())
  return createLocalAccounts(store, { hash: async () => 'a hash', verify: async () => false })
}

test('LIMITS-1 a /48 has four times the registration limit of an address, however many addresses it uses', async () => {
  const accounts = await startAccounts()
  const register = (name: string, address: string) =>
    accounts.register({ name, email: `${name}@example.org`, password: 'x' }, address).then(() => 'registered', codeOf)
  const outcomes: string[] = []
  for (let i = 0; i < 400; i++) outcomes.push(await register(`user-${i}`, subnet(i)))
  expect(outcomes.filter((outcome) => outcome === 'registered')).toHaveLength(120)
  expect(new Set(outcomes)).toStrictEqual(new Set(['registered', 'rate_limited']))
  expect(await register('visitor', visitor)).toBe('registered')
})

test('LIMITS-1 a hundred guesses from a hundred /64s of one /48 are rate limited, and the owner is not', async () => {
  const accounts = await startAccounts()
  await accounts.register({ name: 'bob', email: 'bob@example.org', password: 'x' }, visitor)
  const guess = (address: string) =>
    accounts.logIn({ name: 'bob', password: 'y' }, address).then(() => 'checked', codeOf)
  const outcomes = await Promise.all(Array.from({ length: 100 }, (_, i) => guess(subnet(i))))
  expect(outcomes.filter((outcome) => outcome === 'checked')).toHaveLength(20)
  for (let i = 0; i < 5; i++) expect(await guess(visitor)).toBe('checked')
})

test.each(['unknown', 'unix:', ''])(
  'LIMITS-3 clients that a proxy on loopback forwards as %j share one limit instead of the loopback exemption',
  async (name) => {
    const server = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '2', MESSAGES_PER_SECOND_PER_IP: '1' })
    const [one, two] = [server.clientFrom(name), server.clientFrom(name)]
    await Promise.all([waitForConnect(one), waitForConnect(two)])
    const hello = { username: 'alice', message: 'hello', createdTime: 1 }
    const acks = await Promise.all(
      Array.from({ length: 34 }, (_, i) => (i % 2 === 0 ? one : two).emitWithAck(events.sendMessage, hello)),
    )
    expect((acks as SendAck[]).filter(({ ok }) => ok).length).toBeLessThan(20)
    const third = server.clientFrom(name)
    const rejected = await new Promise<Error>((resolve) => third.once('connect_error', resolve))
    expect(rejected.message).toBe('rate_limited')
    await waitForConnect(server.clientFrom(visitor))
  },
)

test.each(['register', 'login'])('SECURITY-2 %s rejects a password with a lone surrogate', async (call) => {
  const server = sharedServer()
  const body = (password: string) => `{"name":"bob","email":"bob@example.org","password":"${password}"}`
  const response = await server.call(`/${call}`, body('abc\\ud800'))
  expect([response.status, await response.json()]).toMatchObject([400, { code: 'invalid' }])
})

test.each([
  ['control characters, which grow sixfold', '\u0001'.repeat(4_000), 'invalid'],
  ['one control character', 'a\u0007b', 'invalid'],
  ['nothing but zero-width characters', '\u200b\u200d\u2060\ufeff', 'invalid'],
  ['nothing but fillers', '\u3164\u115f\u2800', 'invalid'],
  ['more than a frame’s worth of marks', '\u0301'.repeat(20_000), 'too_long'],
])('SHOWN-1 a message of %s is rejected', async (_name, message, code) => {
  const client = await waitForConnect(sharedServer().client())
  const sent = { username: 'alice', message, createdTime: 1 }
  expect(await client.emitWithAck(events.sendMessage, sent)).toMatchObject({ ok: false, code })
  for (const valid of ['two\nlines\tand a tab', '👩\u200d💻'])
    expect(await client.emitWithAck(events.sendMessage, { ...sent, message: valid })).toMatchObject({ ok: true })
})

test('LIMITS-4 long messages exceed a byte limit and get a retry time', async () => {
  const server = await startServer()
  const client = await waitForConnect(server.client())
  const long = { username: 'alice', message: '😀'.repeat(4_000), createdTime: 1 }
  const acks: SendAck[] = []
  for (let i = 0; i < 40; i++) acks.push((await client.emitWithAck(events.sendMessage, long)) as SendAck)
  const rejection = acks.find(({ ok }) => !ok)
  expect(rejection).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) as number })
  expect(acks.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(6)
})

test('LIMITS-7 an account can request the users list thirty times at once, then gets a retry time; others are not affected', async () => {
  const server = await startServer()
  const tokenOf = async (name: string) => {
    const response = await server.call('/register', { name, email: `${name}@example.org`, password: 'x' })
    return ((await response.json()) as { token: string }).token
  }
  const [limited, other] = [await tokenOf('limited'), await tokenOf('other')]
  const list = (token: string) => fetch(`${server.url}/fetchusers`, { headers: { authorization: `Bearer ${token}` } })
  const responses = await Promise.all(Array.from({ length: 60 }, () => list(limited)))
  const served = responses.filter(({ status }) => status === 200)
  expect(served.length).toBeGreaterThanOrEqual(30)
  expect(served.length).toBeLessThan(60)
  expect((await served[0]?.json()) as unknown).toMatchObject([{ name: 'limited' }, { name: 'other' }])
  const rejected = responses.find(({ status }) => status === 429)
  expect(rejected?.headers.get('retry-after')).toBe('1')
  expect((await list(other)).status).toBe(200)
})
