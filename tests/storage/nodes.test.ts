import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { probes } from '../../contract/routes.ts'
import { createTcpProxy } from '../faults/tcp-proxy.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import { spawnServer } from '../support/spawn-server.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

let redis: Awaited<ReturnType<typeof startRedis>>
let postgres: Awaited<ReturnType<typeof startPostgres>>
let databaseUrl: string
beforeAll(async () => {
  redis = await startRedis({ settings: { requirepass: 'test-password' } })
  postgres = await startPostgres()
  databaseUrl = postgres.createDatabase()
})
afterAll(() => Promise.all([redis.close(), postgres.close()]))

const urlBy = (port: number) => `redis://:test-password@127.0.0.1:${port}`

/** Starts one node in this process and collects its log. */
async function startNode(redisPort = redis.port, settings: Record<string, string> = {}) {
  const lines: string[] = []
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) })
  const env = { REDIS_URL: urlBy(redisPort), DATABASE_URL: databaseUrl, ...settings }
  const node = await startServer(env, { log: pino({ level: 'debug' }, sink) })
  return { ...node, logged: () => lines.join('') }
}

async function openProxy() {
  const proxy = await createTcpProxy(redis.port)
  onTestFinished(() => proxy.close())
  return proxy
}

async function join(node: TestServer, cursor?: Cursor) {
  const socket = node.client({ auth: { channel: 'messages', ...(cursor === undefined ? {} : { cursor }) } })
  const got = collectSocketEvents<[ChatMessage, Cursor]>(socket, events.receiveMessage)
  const [placed] = await nextEvent<[Cursor]>(socket, events.cursor)
  return { socket, placed, got, texts: () => got.seen.map(([{ message }]) => message) }
}

const send = (socket: TestServer extends { client: () => infer S } ? S : never, message: string): Promise<SendAck> =>
  socket.timeout(30_000).emitWithAck(events.sendMessage, { username: 'alice', message, createdTime: 1 })

const readiness = async (url: string) => {
  const response = await fetch(url + probes.ready)
  return { status: response.status, body: (await response.json()) as unknown }
}

test('DELIVERY-1 two nodes deliver one order, and a client that changes nodes neither misses nor repeats a message', async () => {
  const [one, two] = [await startNode(), await startNode()]
  const [a, b] = [await join(one), await join(two)]
  const acks = await Promise.all(
    Array.from({ length: 20 }, (_, index) => send((index % 2 === 0 ? a : b).socket, `text ${index}`)),
  )
  expect(acks.every(({ ok }) => ok)).toBe(true)
  await Promise.all([a.got.atLeast(20), b.got.atLeast(20)])
  expect(a.got.seen).toStrictEqual(b.got.seen)
  const [, last] = a.got.seen.at(-1) ?? []
  a.socket.close()
  await send(b.socket, 'while it changes')
  const again = await join(two, last)
  expect(again.placed).toStrictEqual(last)
  await again.got.atLeast(1)
  expect(again.texts()).toStrictEqual(['while it changes'])
  expect(one.logged() + two.logged()).not.toContain('test-password')
})

test('DELIVERY-2 a client without a cursor that connects to a lagging node does not receive messages again', async () => {
  const proxy = await openProxy()
  const [one, two] = [await startNode(), await startNode(proxy.port)]
  const sender = await join(one)
  const observer = one.client()
  const seen = collectSocketEvents<[ChatMessage]>(observer, events.receiveMessage)
  await waitForConnect(observer)
  proxy.stall(['toServer', 'toClient'], 'path')
  await send(sender.socket, 'before')
  await seen.atLeast(1)
  observer.close()
  const returned = two.client()
  const seenThere = collectSocketEvents<[ChatMessage]>(returned, events.receiveMessage)
  const isBack = waitForConnect(returned)
  await expect(Promise.race([isBack, sleep(500, 'still waiting')])).resolves.toBe('still waiting')
  proxy.resume()
  await isBack
  await send(sender.socket, 'after')
  await seenThere.atLeast(1)
  expect(seenThere.seen.map(([{ message }]) => message)).toStrictEqual(['after'])
})

test('REDIS-1 a start waits for a Redis that executes no write for some seconds', async () => {
  // The pause is longer than the deadline of a command.
  redis.command('CLIENT', 'PAUSE', '6000', 'WRITE')
  const node = await startNode()
  expect(await readiness(node.url)).toMatchObject({ status: 200 })
})

test('REDIS-5 a node logs that the node before it has another retention', async () => {
  const [one, two] = [await startNode(), await startNode(redis.port, { RETENTION_HOURS: '1' })]
  expect(one.logged()).not.toContain('redis: retention differs')
  expect(two.logged()).toMatch(
    /"own":"RETENTION_HOURS=1 .*"other":"RETENTION_HOURS=24 .*redis: retention differs from that of the node that started before/,
  )
})

test('REDIS-2 while Redis hangs nothing is acknowledged and the node is not ready; it recovers, and no password is logged', async () => {
  const node = await startNode()
  const { socket, got } = await join(node)
  expect(await send(socket, 'before')).toMatchObject({ ok: true })
  expect(await readiness(node.url)).toStrictEqual({ status: 200, body: { status: 'ok' } })
  redis.pause()
  const pausedAt = performance.now()
  let noticedMs: number
  try {
    await expect.poll(async () => (await readiness(node.url)).status).toBe(503)
    noticedMs = performance.now() - pausedAt
    expect(await send(socket, 'while Redis hangs')).toMatchObject({ ok: false, code: 'unavailable' })
  } finally {
    redis.resume()
  }
  const resumedAt = performance.now()
  await expect.poll(async () => (await send(socket, 'after the hang')).ok).toBe(true)
  const backMs = performance.now() - resumedAt
  await expect.poll(() => got.seen.at(-1)?.[0].message).toBe('after the hang')
  await expect.poll(async () => (await readiness(node.url)).status).toBe(200)
  expect(noticedMs).toBeLessThan(10_000)
  expect(backMs).toBeLessThan(10_000)
  expect(node.logged()).toContain('storage unavailable')
  expect(node.logged()).not.toContain('test-password')
})

/**
 * Connects a client that sends and does not read. A node that closes its connections closes this client last, after
 * several seconds.
 */
async function joinSlowPeer(node: TestServer): Promise<void> {
  const peer = await openRawConnection(node.url)
  onTestFinished(peer.close)
  await peer.connect()
  peer.pause()
  const sending = setInterval(
    () => peer.send(`42["${events.sendMessage}",{"username":"slow","message":"a","createdTime":1}]`),
    100,
  )
  onTestFinished(() => clearInterval(sending))
}

test('REDIS-3 an isolated node closes its connections and rejects new ones until Redis is back; then it closes no client again', async () => {
  const proxy = await openProxy()
  const node = await startNode(proxy.port)
  const { socket } = await join(node)
  await joinSlowPeer(node)
  // These clients reconnect before the slow peer is closed.
  const returnsSoon = { auth: { channel: 'messages' }, reconnectionDelay: 100, reconnectionDelayMax: 200 }
  const silent = await Promise.all(Array.from({ length: 10 }, () => waitForConnect(node.client(returnsSoon))))
  const closes = silent.map((client) => collectSocketEvents(client, 'disconnect').seen)
  const closing = nextEvent(socket, events.restarting, 60_000)
  const gone = nextEvent(socket, 'disconnect', 60_000)
  proxy.rejectConnections()
  const cutAt = performance.now()
  await closing
  expect(performance.now() - cutAt).toBeGreaterThan(14_000)
  const rejected = node.client({ reconnection: false })
  await nextEvent(rejected, 'connect_error')
  await gone
  proxy.resume()
  await expect.poll(() => silent.every(({ connected }) => connected)).toBe(true)
  await waitForConnect(socket)
  // The slow peer is still connected, so a node that continued to close connections would close the clients meanwhile.
  for (let sent = 0; sent < 50; sent++) expect(await send(socket, 'back')).toMatchObject({ ok: true })
  expect(closes.filter(({ length }) => length > 1)).toStrictEqual([])
})

test('REDIS-2 without PostgreSQL chat continues, the node is ready, and it reports accounts as unavailable', async () => {
  const node = await startNode()
  const { socket } = await join(node)
  postgres.pause()
  try {
    await expect
      .poll(() => readiness(node.url))
      .toStrictEqual({ status: 200, body: { status: 'ok', accounts: 'unavailable' } })
    expect(await send(socket, 'all the same')).toMatchObject({ ok: true })
  } finally {
    postgres.resume()
  }
  await expect.poll(() => readiness(node.url)).toStrictEqual({ status: 200, body: { status: 'ok' } })
})

/** Timeout of tests with several starts on a busy machine. */
const startsTimeoutMs = 180_000

async function failStart(env: Record<string, string>): Promise<string> {
  const { output, exited } = spawnServer({ env: { DATABASE_URL: databaseUrl, ...env } })
  expect(await exited).toBe(1)
  expect(output.stderr).toMatch(/^[^\n]+\n$/)
  expect(output.stderr + output.stdout).not.toMatch(/test-password|wrong-password/)
  return output.stderr.trim()
}

test(
  'REDIS-1 a wrong password and a closed port end the start with one line, exit code 1 and no credentials',
  async () => {
    const port = redis.port
    expect(await failStart({ REDIS_URL: `redis://:wrong-password@127.0.0.1:${port}` })).toMatch(
      new RegExp(`^REDIS_URL: 127.0.0.1:${port} .*WRONGPASS`),
    )
    expect(await failStart({ REDIS_URL: urlBy(1) })).toMatch(/^REDIS_URL: 127.0.0.1:1 .*ECONNREFUSED/)
  },
  startsTimeoutMs,
)

test(
  'REDIS-1 a Redis without durable writes and a replica are rejected; with relaxed durability the server starts and warns',
  async () => {
    redis.command('CONFIG', 'SET', 'appendfsync', 'everysec')
    try {
      await expect(startNode()).rejects.toThrow(
        /^REDIS_URL: .*it has appendfsync everysec; set .* REDIS_DURABILITY=relaxed/,
      )
      const relaxed = await startNode(redis.port, { REDIS_DURABILITY: 'relaxed' })
      expect(relaxed.logged()).toContain('redis: not durable; REDIS_DURABILITY=relaxed')
    } finally {
      redis.command('CONFIG', 'SET', 'appendfsync', 'always')
    }
    redis.command('REPLICAOF', '127.0.0.1', '1')
    try {
      await expect(startNode()).rejects.toThrow(/^REDIS_URL: .* is a replica/)
    } finally {
      redis.command('REPLICAOF', 'NO', 'ONE')
    }
  },
  startsTimeoutMs,
)
