import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { pino } from 'pino'
import { io } from 'socket.io-client'
import { expect, test } from 'vitest'
import { events, moderationEvents } from '../../contract/events.ts'
import { metricsHost, metricsPath } from '../../contract/routes.ts'
import { findFreePort } from '../support/free-port.ts'
import { type RejectionReason, rejectionReasons } from '../../server/observe/reasons.ts'
import { databaseNames, dataFiles } from '../../server/storage/sqlite/data-folder.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

async function startWithMetrics(env: Record<string, string> = {}) {
  const port = await findFreePort()
  const lines: Record<string, unknown>[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
  const server = await startServer({ METRICS_PORT: String(port), ...env }, { log })
  const metricsText = async () => (await fetch(`http://${metricsHost}:${port}${metricsPath}`)).text()
  const valueOf = async (name: string) => {
    const line = (await metricsText()).split('\n').find((text) => text.startsWith(`${name} `))
    return line === undefined ? undefined : Number(line.split(' ')[1])
  }
  const rejected = (reason: RejectionReason) => valueOf(`chat_refused_total{reason="${reason}"}`)
  return { server, port, lines, metricsText, valueOf, rejected }
}

const message = { username: 'a', message: 'b', createdTime: 1 }

test('METRICS-1 metrics are served on the metrics port only', async () => {
  const { server, port, valueOf } = await startWithMetrics()
  expect(await valueOf('chat_connections')).toBe(0)
  const socket = await waitForConnect(server.client())
  for (let i = 0; i < 3; i++) await socket.emitWithAck(events.sendMessage, message)
  expect(await valueOf('chat_connections')).toBe(1)
  expect(await valueOf('chat_messages_total')).toBe(3)
  expect(await valueOf('chat_storage_up')).toBe(1)
  expect((await fetch(`http://${metricsHost}:${port}/`)).status).toBe(404)
  expect((await fetch(server.url + metricsPath)).status).toBe(404)
})

test('OPERATING-6 every metric has a value from the start', async () => {
  const { metricsText, rejected, valueOf } = await startWithMetrics()
  for (const reason of rejectionReasons) expect(await rejected(reason), reason).toBe(0)
  const names = ['messages_total', 'store_failures_total', 'store_seconds_count', 'fanout_seconds_count', 'pages']
  for (const name of names) expect(await valueOf(`chat_${name}`), name).toBe(0)
  for (const database of databaseNames) {
    expect(await valueOf(`chat_database_bytes{database="${database}"}`)).toBeGreaterThan(0)
  }
  const text = await metricsText()
  expect(text).toContain('chat_slow_readers_total{reason="unread"} 0')
  const announced = [...text.matchAll(/^# TYPE (chat_\w+)/gm)].map(([, name = '']) => name)
  expect(announced.length).toBeGreaterThan(5)
  for (const name of announced) expect(text).toMatch(new RegExp(`^${name}(_count)?({.*})? `, 'm'))
})

test('OPERATING-6 only new messages are counted as stored; storing and fan-out are timed separately', async () => {
  const { server, valueOf, rejected } = await startWithMetrics()
  const socket = await waitForConnect(server.client())
  const id = randomUUID()
  for (let i = 0; i < 3; i++) await socket.emitWithAck(events.sendMessage, message, { id })
  expect(await socket.emitWithAck(events.sendMessage, { ...message, createdTime: 2 }, { id })).toMatchObject({
    code: 'id_conflict',
  })
  expect(await valueOf('chat_messages_total')).toBe(1)
  expect(await rejected('send_id_conflict')).toBe(1)
  expect(await valueOf('chat_store_seconds_count')).toBe(4)
  // A repeat and a rejection are not broadcast.
  expect(await valueOf('chat_fanout_seconds_count')).toBe(1)
})

test('OPERATING-6 a page with two connections counts as one page', async () => {
  const { server, valueOf } = await startWithMetrics()
  await waitForConnect(server.client({ auth: { channel: 'messages' } }))
  await waitForConnect(server.client({ auth: { channel: 'presence' } }))
  await waitForConnect(server.client())
  expect(await valueOf('chat_connections')).toBe(3)
  expect(await valueOf('chat_pages')).toBe(2)
})

test('OPERATING-6 every rejection is counted by its reason', async () => {
  const { server, rejected } = await startWithMetrics({ MESSAGES_PER_SECOND: '0.1' })
  const socket = await waitForConnect(server.client())
  await socket.emitWithAck(events.sendMessage, message)
  await socket.emitWithAck(events.sendMessage, message)
  expect(await rejected('send_rate_limited')).toBe(1)
  await socket.emitWithAck(events.sendMessage, { ...message, message: 'x'.repeat(4_001) })
  expect(await rejected('send_too_long')).toBe(1)
  // The server counts a rejection even if the client requested no ack.
  socket.emit(events.sendMessage, {})
  await expect.poll(() => rejected('send_invalid')).toBe(1)

  const unauthorized = server.client({ auth: { token: 'nonsense' }, reconnection: false })
  await nextEvent(unauthorized, 'connect_error')
  expect(await rejected('connect_unauthorized')).toBe(1)

  expect((await fetch(`${server.url}/nothing-here`)).status).toBe(404)
  expect((await server.call('/login', { name: 'a' })).status).toBe(400)
  expect((await fetch(`${server.url}/fetchusers`)).status).toBe(401)
  for (const status of [404, 400, 401] as const) await expect.poll(() => rejected(`http_${status}`)).toBe(1)
  expect((await fetch(`${server.url}/socket.io/?EIO=4&transport=polling&sid=unknown`)).status).toBe(400)
  await expect.poll(() => rejected('http_400')).toBe(2)
})

test('OPERATING-6 only rejected messages are counted as send_*, not rejected actions of moderators or other events', async () => {
  const { server, rejected } = await startWithMetrics()
  const socket = await waitForConnect(server.client({ auth: { positions: true } }))
  expect(await socket.emitWithAck(moderationEvents.moderate, 'nonsense')).toMatchObject({ ok: false, code: 'invalid' })
  for (const event of [events.resume, 'unknown-event']) {
    expect(await socket.emitWithAck(event, 'nonsense')).toMatchObject({ ok: false, code: 'invalid' })
  }
  expect(await rejected('send_invalid')).toBe(0)
  expect(await rejected('moderate')).toBe(1)
  expect(await rejected('event_other')).toBe(2)
})

test('OPERATING-6 a proxy that does not forward Host causes one warning with origin, host and advice, and each rejection is counted', async () => {
  const { server, lines, rejected } = await startWithMetrics()
  const headers = { origin: 'https://chat.example.org' }
  for (let i = 0; i < 5; i++) {
    expect((await server.call('/login', { name: 'a', password: 'b' }, headers)).status).toBe(403)
    const response = await fetch(`${server.url}/socket.io/?EIO=4&transport=polling`, { headers })
    expect(response.status).toBe(403)
  }
  const socket = io(server.url, {
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    extraHeaders: headers,
  })
  await nextEvent(socket, 'connect_error')
  await expect.poll(() => rejected('http_403')).toBe(11)
  expect(lines).toStrictEqual([
    expect.objectContaining({
      level: 40,
      origin: 'https://chat.example.org',
      host: new URL(server.url).host,
      msg: expect.stringMatching(/ALLOWED_ORIGINS.*proxy_set_header Host \$http_host;/),
    }),
  ])
})

test('OPERATING-6 many rate limit rejections cause one warning', async () => {
  const { server, lines, rejected } = await startWithMetrics({ MESSAGES_PER_SECOND: '0.1' })
  const socket = await waitForConnect(server.client())
  for (let i = 0; i < 20; i++) await socket.emitWithAck(events.sendMessage, message)
  expect(await rejected('send_rate_limited')).toBe(19)
  expect(lines).toStrictEqual([expect.objectContaining({ reason: 'send_rate_limited', count: 1 })])
})

test.each(['accounts', 'messages'] as const)(
  'OPERATING-6 without any traffic the metrics show that the database of %s is missing and when it is available again',
  async (name) => {
    const { server, valueOf } = await startWithMetrics()
    const metric = name === 'accounts' ? 'chat_accounts_up' : 'chat_storage_up'
    const file = dataFiles(server.dataDir)[name]
    renameSync(file, `${file}.away`)
    await expect.poll(() => valueOf(metric)).toBe(0)
    renameSync(`${file}.away`, file)
    await expect.poll(() => valueOf(metric)).toBe(1)
  },
)

test('OPERATING-6 the server logs that the lock file was removed while it runs', async () => {
  const { server, lines } = await startWithMetrics()
  rmSync(dataFiles(server.dataDir).lock)
  const lockWarnings = () => lines.filter(({ msg }) => String(msg).includes('lock file removed')).length
  await expect.poll(lockWarnings).toBe(1)
})
