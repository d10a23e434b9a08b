import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { accountPath, metricsHost, metricsPath, probes, routes } from '../../contract/routes.ts'
import { callUntilAvailable } from '../support/call-until-available.ts'
import { findFreePort } from '../support/free-port.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import { spawnServer } from '../support/spawn-server.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
let postgres: Awaited<ReturnType<typeof startPostgres>>
let databaseUrl: string
beforeAll(async () => {
  ;[redis, postgres] = await Promise.all([startRedis(), startPostgres({ settings: { fsync: 'off' } })])
  databaseUrl = postgres.createDatabase()
})
afterAll(() => Promise.all([redis.close(), postgres.close()]))

/** Starts one node in this process and collects its log. */
async function startNode(env: Record<string, string> = {}) {
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const log = pino({ level: 'debug' }, sink)
  const node = await startServer({ REDIS_URL: redis.url, DATABASE_URL: databaseUrl, ...env }, { log })
  return { ...node, logged: () => lines.join('') }
}

let accounts = 0
async function register(node: TestServer) {
  const name = `user ${++accounts}`
  const account = { name, email: `${accounts}@example.org`, password: 'correct horse' }
  const response = await callUntilAvailable(node, routes.register, account)
  expect(response.status).toBe(201)
  return { ...account, token: ((await response.json()) as { token: string }).token }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const logOut = ({ url }: TestServer, token: string) =>
  fetch(url + routes.login, { method: 'DELETE', headers: bearer(token) })

test('SESSIONS-1 an account works on every node, and a logout on one node closes its connections on the others', async () => {
  const [one, two] = [await startNode(), await startNode()]
  const { token, ...account } = await register(one)
  expect(await (await callUntilAvailable(two, routes.login, account)).json()).toMatchObject({
    stat: 'Success',
    name: account.name,
  })
  const socket = two.client({ auth: { token, channel: 'messages' }, reconnectionDelay: 10 })
  await waitForConnect(socket)
  const rejected = nextEvent<[Error]>(socket, 'connect_error')
  const startedAtMs = performance.now()
  expect((await logOut(one, token)).status).toBe(204)
  expect((await rejected)[0].message).toBe('unauthorized')
  // The bound only detects a connection that stays open.
  expect(performance.now() - startedAtMs).toBeLessThan(10_000)
  expect((await fetch(two.url + routes.users, { headers: bearer(token) })).status).toBe(401)
})

test('API-3 a new user is at once on the list of every node', async () => {
  const [one, two] = [await startNode(), await startNode()]
  const { token } = await register(one)
  const list = async () => (await fetch(two.url + routes.users, { headers: bearer(token) })).json()
  await list()
  const { name } = await register(one)
  expect(await list()).toContainEqual(expect.objectContaining({ name }))
})

test('MODERATION-21 an account deleted on one node disappears from the user list and is disconnected on every node', async () => {
  const [one, two] = [await startNode(), await startNode()]
  const { token: viewer } = await register(two)
  const { token, name, password } = await register(one)
  const list = async () => (await fetch(two.url + routes.users, { headers: bearer(viewer) })).json()
  expect(await list()).toContainEqual(expect.objectContaining({ name }))
  const socket = two.client({ auth: { token, channel: 'messages' }, reconnectionDelay: 10 })
  await waitForConnect(socket)
  const rejected = nextEvent<[Error]>(socket, 'connect_error')
  const headers = { ...bearer(token), 'content-type': 'application/json' }
  const body = JSON.stringify({ password })
  expect((await fetch(one.url + accountPath, { method: 'DELETE', headers, body })).status).toBe(204)
  expect((await rejected)[0].message).toBe('unauthorized')
  await expect.poll(list).not.toContainEqual(expect.objectContaining({ name }))
})

test('SESSIONS-1 without Redis, a logout responds with 503 and Retry-After and keeps the token; a retry completes it', async () => {
  const ownRedis = await startRedis()
  onTestFinished(() => ownRedis.close())
  const node = await startNode({ REDIS_URL: ownRedis.url })
  const { token } = await register(node)
  const list = () => fetch(node.url + routes.users, { headers: bearer(token) })
  await ownRedis.kill()
  const rejected = await logOut(node, token)
  expect(rejected.status).toBe(503)
  expect(rejected.headers.get('retry-after')).toBe('1')
  expect(await rejected.json()).toMatchObject({ code: 'unavailable' })
  expect((await list()).status).toBe(200)
  await ownRedis.start()
  await expect.poll(async () => (await logOut(node, token)).status).toBe(204)
  expect((await list()).status).toBe(401)
})

test('LEDGER-1 failed logins are counted across all nodes', async () => {
  const nodes = [await startNode(), await startNode()] as const
  const { name } = await register(nodes[0])
  const attempt = (turn: number) =>
    callUntilAvailable(nodes[turn % 2 === 0 ? 0 : 1], routes.login, { name, password: 'wrong' })
  let failed = 0
  while ((await attempt(failed)).status === 200) failed++
  // The first five failures cause no wait, and short waits may already be over on a slow machine. Two separate counters
  // would allow ten.
  expect(failed).toBeGreaterThanOrEqual(5)
  expect(failed).toBeLessThan(10)
})

test('POSTGRES-2 SESSIONS-2 while PostgreSQL hangs, logins respond with 503, chat continues, and clients with a known token reconnect', async () => {
  const metricsPort = await findFreePort()
  const node = await startNode({ METRICS_PORT: String(metricsPort) })
  const { token, ...account } = await register(node)
  const socket = node.client({ auth: { token, channel: 'messages' } })
  await waitForConnect(socket)
  const ready = async () => {
    const response = await fetch(node.url + probes.ready)
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const accountsUp = async () => {
    const metrics = await (await fetch(`http://${metricsHost}:${metricsPort}${metricsPath}`)).text()
    return /^chat_accounts_up (\d)$/m.exec(metrics)?.[1]
  }
  const send = async (message: string) => {
    const received = nextEvent<[{ username: string }]>(socket, events.receiveMessage)
    const payload = { username: 'ignored', message, createdTime: 1 }
    expect(await socket.timeout(30_000).emitWithAck(events.sendMessage, payload)).toMatchObject({ ok: true })
    return (await received)[0].username
  }
  expect(await accountsUp()).toBe('1')

  postgres.pause()
  onTestFinished(() => postgres.resume())
  await expect.poll(ready).toStrictEqual({ status: 200, body: { status: 'ok', accounts: 'unavailable' } })
  expect(await accountsUp()).toBe('0')
  for (const [path, body] of [
    [routes.login, account],
    [routes.register, { ...account, name: 'another' }],
  ] as const) {
    const rejected = await node.call(path, body)
    expect(rejected.status).toBe(503)
    expect(rejected.headers.get('retry-after')).not.toBeNull()
    expect(await rejected.json()).toMatchObject({ code: 'unavailable' })
  }
  expect(await send('goes on')).toBe(account.name)
  socket.io.engine.close()
  await waitForConnect(socket)
  expect(await send('is back')).toBe(account.name)
  const unknownClient = node.client({ auth: { token: 'never seen', channel: 'messages' }, reconnection: false })
  expect((await nextEvent<[Error]>(unknownClient, 'connect_error'))[0].message).toBe('unavailable')

  postgres.resume()
  await expect.poll(async () => (await node.call(routes.login, account)).status).toBe(200)
  await expect.poll(ready).toStrictEqual({ status: 200, body: { status: 'ok' } })
  expect(await accountsUp()).toBe('1')
  expect(node.logged()).toContain('accounts unavailable: rejecting logins, registrations')
  expect(node.logged()).toContain('accounts available')
  for (const secret of [new URL(databaseUrl).password, decodeURIComponent(new URL(databaseUrl).password), token]) {
    expect(node.logged()).not.toContain(secret)
  }
})

test('POSTGRES-1 a wrong password ends the start with one line and exit code 1', async () => {
  const url = Object.assign(new URL(databaseUrl), { password: 'not-the-one' }).href
  const { exited, output } = spawnServer({ env: { REDIS_URL: redis.url, DATABASE_URL: url } })
  expect(await exited).toBe(1)
  expect(output.stderr).toMatch(
    /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ rejects this user or password; correct them in DATABASE_URL\n$/,
  )
  expect(output.stdout + output.stderr).not.toContain('not-the-one')
})
