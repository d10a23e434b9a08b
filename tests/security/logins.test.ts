import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLocalAccounts } from '../../server/accounts/accounts.suite.ts'
import { createPasswords } from '../../server/accounts/login/passwords.ts'
import { ignoreStoreCallbacks } from '../../server/storage/sqlite/store-callbacks.suite.ts'
import { openSqliteAccountStore } from '../../server/storage/sqlite/accounts/sqlite-account-store.ts'
import { networksOf } from '../../server/limits/addresses.ts'
import { accountRoutes } from '../../server/transport/http/account-routes.ts'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { createHttpServer } from '../../server/transport/http/http-server.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { nextEvent } from '../support/socket-events.ts'
import { temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'
import { startBehindProxy } from './from-address.ts'

const bob = { name: 'bob', email: 'bob@example.org', password: 'correct horse' }
const wrong = { name: 'bob', password: 'wrong' }
const abuser = '203.0.113.7'

async function outcome(response: Response) {
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as unknown,
  }
}

/** Passwords with a fake hash, because many real hashes would take many seconds. */
const fakePasswords = { hash: async () => 'hash', verify: async () => true }

/** Creates an HTTP server for accounts that trusts the address in `X-Forwarded-For`. The default is a loopback address. */
async function createAccountsServer(passwords: Parameters<typeof createLocalAccounts>[1]) {
  const store = await openSqliteAccountStore(join(temporaryFolder(), 'accounts.sqlite'), ignoreStoreCallbacks)
  const app = await createHttpServer({
    log: pino({ level: 'silent' }),
    report: ignoreEvents,
    isSecure: () => false,
    measure: (_request, work) => work(),
  })
  await app.register(accountRoutes, {
    accounts: createLocalAccounts(store, passwords),
    pages: { send: (reply) => reply },
    addressOf: ({ headers }) => String(headers['x-forwarded-for'] ?? '127.0.0.1'),
  })
  onTestFinished(async () => {
    await app.close()
    await store.close()
  })
  return app
}

const failed = { status: 200, retryAfter: null, body: { stat: 'Failed' } }
const rejected = {
  status: 429,
  retryAfter: '1',
  body: { code: 'rate_limited', message: expect.stringMatching(/failed logins/) as string },
}

test('SECURITY-3 the sixth failed login gets 429 with Retry-After, for a known and an unknown name alike', async () => {
  const server = await startBehindProxy()
  await server.call('/register', bob)
  for (const name of ['bob', 'unknown']) {
    for (let i = 0; i < 5; i++)
      expect(await outcome(await server.callFrom(abuser, '/login', { ...wrong, name }))).toStrictEqual(failed)
    expect(await outcome(await server.callFrom(abuser, '/login', { ...wrong, name }))).toStrictEqual(rejected)
  }
})

test('SECURITY-3 while one address is in back-off for an account, its owner can log in from another', async () => {
  const server = await startBehindProxy()
  await server.call('/register', bob)
  for (let i = 0; i < 6; i++) await server.callFrom(abuser, '/login', wrong)
  expect((await server.callFrom(abuser, '/login', bob)).status).toBe(429)
  expect(await (await server.callFrom('198.51.100.1', '/login', bob)).json()).toMatchObject({ stat: 'Success' })
})

test('SECURITY-3 the back-off treats another spelling of a name as the same account', async () => {
  const server = await startBehindProxy()
  await server.call('/register', bob)
  for (const name of ['bob', 'BOB', 'b\u043eb', 'ｂｏｂ', ' bob '])
    await server.callFrom(abuser, '/login', { ...wrong, name })
  expect((await server.callFrom(abuser, '/login', bob)).status).toBe(429)
})

test('SECURITY-3 the back-off also applies on loopback and expires', async () => {
  const server = await startServer()
  await server.call('/register', bob)
  for (let i = 0; i < 5; i++) await server.call('/login', wrong)
  expect((await server.call('/login', bob)).status).toBe(429)
  await expect.poll(async () => (await server.call('/login', bob)).status).toBe(200)
})

test('SECURITY-3 only five of fifty concurrent attempts are checked', async () => {
  const server = await startBehindProxy()
  await server.call('/register', bob)
  const responses = await Promise.all(Array.from({ length: 50 }, () => server.callFrom(abuser, '/login', wrong)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
})

test('SECURITY-3 registrations are rate limited per address, except on loopback', async () => {
  const app = await createAccountsServer(fakePasswords)
  const register = (address: string, i: number) => {
    const payload = { ...bob, name: `bob ${i}`, email: `bob${i}@example.org` }
    return app.inject({ method: 'POST', url: '/register', payload, headers: { 'x-forwarded-for': address } })
  }
  for (let i = 0; i < 30; i++) expect((await register(abuser, i)).statusCode).toBe(201)
  const tooMany = await register(abuser, 30)
  expect(tooMany.statusCode).toBe(429)
  expect(tooMany.json()).toMatchObject({ code: 'rate_limited' })
  expect(Number(tooMany.headers['retry-after'])).toBeGreaterThan(0)
  expect((await register('198.51.100.1', 31)).statusCode).toBe(201)
  for (let i = 40; i < 72; i++) expect((await register('127.0.0.1', i)).statusCode).toBe(201)
})

test('SECURITY-3 successful logins are rate limited per address, except on loopback', async () => {
  const store = await openSqliteAccountStore(join(temporaryFolder(), 'accounts.sqlite'), ignoreStoreCallbacks)
  const accounts = createLocalAccounts(store, fakePasswords)
  await accounts.register(bob, '127.0.0.1')
  // Freeze the clock, so that the budget does not refill during the test.
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  for (let i = 0; i < 300; i++) await accounts.logIn(bob, abuser)
  await expect(accounts.logIn(bob, abuser)).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 2_000 })
  vi.advanceTimersByTime(2_000)
  expect(await accounts.logIn(bob, abuser)).toMatchObject({ stat: 'Success' })
  await expect(accounts.logIn(bob, abuser)).rejects.toMatchObject({ code: 'rate_limited' })
  for (let i = 0; i < 301; i++) expect(await accounts.logIn(bob, '::1')).toMatchObject({ stat: 'Success' })
  await store.close()
})

test('SECURITY-2 a hash request beyond the queue limit gets 503 with Retry-After', async () => {
  const passwords = createPasswords({ concurrency: 1, maxQueued: 2 })
  const results = await Promise.allSettled(
    ['a', 'b', 'c', 'd'].map((text) => passwords.hash(networksOf('203.0.113.7'), text)),
  )
  expect(results.map(({ status }) => status)).toStrictEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  expect(results[3]).toMatchObject({ reason: { code: 'unavailable', retryAfterMs: 2_000 } })
})

test('SECURITY-2 concurrent logins beyond the queue limit get 503, and the others get a response', async () => {
  const app = await createAccountsServer(createPasswords({ concurrency: 1, maxQueued: 2 }))
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      app.inject({ method: 'POST', url: '/login', payload: { name: `user ${i}`, password: 'x' } }),
    ),
  )
  const rejections = responses.filter(({ statusCode }) => statusCode === 503)
  expect(rejections).toHaveLength(7)
  expect(rejections[0]?.headers['retry-after']).toBe('2')
  expect(rejections[0]?.json()).toMatchObject({ code: 'unavailable' })
  expect(responses.filter(({ statusCode }) => statusCode === 200)).toHaveLength(3)
})

test('SECURITY-2 tokens are stored only as hashes, and passwords as argon2id', async () => {
  const server = await startServer()
  const { token } = (await (await server.call('/register', bob)).json()) as { token: string }
  const database = new DatabaseSync(dataFiles(server.dataDir).accounts, { readOnly: true })
  const rows = [...database.prepare('SELECT * FROM users').all(), ...database.prepare('SELECT * FROM tokens').all()]
  database.close()
  const stored = JSON.stringify(rows)
  expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
  expect(stored).not.toContain(bob.password)
  expect(stored).not.toContain(token)
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
})

test.each([
  ['expired', 'UPDATE tokens SET expires_at_ms = 1'],
  ['revoked', 'DELETE FROM tokens'],
])('SECURITY-2 a token that was %s grants access to neither the users list nor the room', async (_name, sql) => {
  const server = await startServer()
  const { token } = (await (await server.call('/register', bob)).json()) as { token: string }
  const list = () => fetch(`${server.url}/fetchusers`, { headers: { authorization: `Bearer ${token}` } })
  expect((await list()).status).toBe(200)
  const database = new DatabaseSync(dataFiles(server.dataDir).accounts)
  database.exec(sql)
  database.close()
  expect((await list()).status).toBe(401)
  const [error] = await nextEvent<[Error]>(server.client({ auth: { token } }), 'connect_error')
  expect(error.message).toBe('unauthorized')
})

test('SECURITY-2 a token in the URL is ignored', async () => {
  const server = await startServer()
  const { token } = (await (await server.call('/register', bob)).json()) as { token: string }
  expect((await fetch(`${server.url}/fetchusers?token=${token}`)).status).toBe(401)
})
