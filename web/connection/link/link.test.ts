import { createServer, type AddressInfo } from 'node:net'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { waitUntilLive, openPage, openRoom, until } from '../../../tests/web/page-session.ts'
import { createScriptedPage, fastTiming } from '../../../tests/web/scripted-page.ts'
import { createScriptedLog } from '../../../tests/web/scripted-room.ts'
import { events } from '../../../contract/events.ts'
import { createLink } from './link.ts'
import type { Timing } from '../timing.ts'

afterEach(() => vi.restoreAllMocks())

function openLink(url: string, timing: Partial<Timing>) {
  const { page, adjustClock } = createScriptedPage()
  const link = createLink({
    url,
    page,
    timing: { ...fastTiming, ...timing },
    auth: () => ({ channel: 'presence' }),
    addListeners: () => {},
    onConnect: () => {},
    onDisconnect: () => {},
    onRejected: () => false,
  })
  const delaysMs: number[] = []
  link.state.subscribe(() => {
    const state = link.state.get()
    if (state.kind === 'lost' && state.retryAtMs !== null) delaysMs.push(state.retryAtMs - page.elapsedMs())
  })
  onTestFinished(link.stop)
  link.start()
  return { link, delaysMs, adjustClock }
}

const growing = { backOff: { baseMs: 64, capMs: 256 } }

function expectGrowth(delaysMs: number[]) {
  const limitsMs = [64, 128, 256, 256]
  for (const [index, limitMs] of limitsMs.entries()) {
    expect(delaysMs[index]).toBeLessThanOrEqual(limitMs)
    expect(delaysMs[index]).toBeGreaterThan(limitMs * 0.8)
  }
}

test('RT-6 the back-off grows while the server is unreachable', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  await room.crash()
  const { delaysMs } = openLink(room.url, growing)
  await until(() => expect(delaysMs.length).toBeGreaterThanOrEqual(4))
  expectGrowth(delaysMs)
})

test('RT-6 the back-off grows while connections close at once, and resets after a stable connection', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  room.io.on('connection', (socket) => setImmediate(() => socket.disconnect(true)))
  const unstable = openLink(room.url, growing)
  await until(() => expect(unstable.delaysMs.length).toBeGreaterThanOrEqual(4))
  expectGrowth(unstable.delaysMs)
  const stable = openLink(room.url, { ...growing, stableAfterMs: 0 })
  await until(() => expect(stable.delaysMs.length).toBeGreaterThanOrEqual(3))
  expect(Math.max(...stable.delaysMs)).toBeLessThanOrEqual(64)
})

test('RT-6 after an announced restart the page reconnects at the announced time, with a reset back-off', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const log = createScriptedLog()
  const room = await openRoom(log)
  const { link, delaysMs } = openLink(room.url, { backOff: { baseMs: 64, capMs: 64_000 } })
  await until(() => expect(link.state.get().kind).toBe('live'))
  room.io.emit(events.restarting, { inMs: 1_500 })
  await until(() => expect(link.state.get().isRestarting).toBe(true))
  await room.crash()
  await until(() => expect(delaysMs.length).toBe(1))
  expect(delaysMs[0]).toBeGreaterThan(64)
  expect(delaysMs[0]).toBeLessThanOrEqual(1_564)
  // The server is not available at the announced time: the next attempts follow without a growing back-off.
  await until(() => expect(delaysMs.length).toBeGreaterThanOrEqual(4))
  for (const delayMs of delaysMs.slice(1, 4)) expect(delayMs).toBeLessThanOrEqual(64)
})

test('RT-6 after a stable connection the back-off does not grow for the first attempts', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  const { link, delaysMs } = openLink(room.url, { backOff: { baseMs: 64, capMs: 128 }, stableAfterMs: 0 })
  await until(() => expect(link.state.get().kind).toBe('live'))
  await room.crash()
  await until(() => expect(delaysMs.length).toBeGreaterThanOrEqual(6))
  for (const delayMs of delaysMs.slice(0, 5)) expect(delayMs).toBeLessThanOrEqual(64)
  expect(delaysMs[5]).toBeGreaterThan(64)
})

test('RT-6 a connection is stable also if the clock was set back meanwhile', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  const { link, delaysMs, adjustClock } = openLink(room.url, { backOff: { baseMs: 64, capMs: 128 }, stableAfterMs: 0 })
  await until(() => expect(link.state.get().kind).toBe('live'))
  adjustClock(-3_600_000)
  await room.crash()
  await until(() => expect(delaysMs.length).toBeGreaterThanOrEqual(2))
  for (const delayMs of delaysMs.slice(0, 2)) expect(delayMs).toBeLessThanOrEqual(64)
})

test('RT-6 an attempt times out and is repeated when the server accepts TCP connections but never responds', async () => {
  let connections = 0
  const silentServer = createServer(() => connections++)
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silentServer.close())
  openLink(`http://127.0.0.1:${(silentServer.address() as AddressInfo).port}`, { connectTimeoutMs: 50 })
  await until(() => expect(connections).toBeGreaterThanOrEqual(3))
})

test('RT-6 an attempt times out and is repeated when the server never responds to the handshake', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { ignoresHandshakes: true })
  openLink(room.url, { connectTimeoutMs: 100 })
  await until(() => expect(log.handshakes.length).toBeGreaterThanOrEqual(3))
})

test('RT-6 a page connects by polling when a proxy drops WebSocket handshakes', async () => {
  const room = await openRoom()
  room.http.removeAllListeners('upgrade')
  room.http.on('upgrade', () => {})
  const page = openPage(room.url, { connectTimeoutMs: 300 })
  await waitUntilLive(page)
  expect(room.sockets('messages')[0]!.conn.transport.name).toBe('polling')
})

test('RT-6 a page waits for the retry time that the server sends with a rejection', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { reject: () => 'rate_limited', retryAfterMs: 60_000 })
  const { delaysMs } = openLink(room.url, {})
  await until(() => expect(delaysMs).toHaveLength(1))
  expect(delaysMs[0]).toBeGreaterThan(59_000)
})
