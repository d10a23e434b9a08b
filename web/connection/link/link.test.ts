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
  const { page } = createScriptedPage()
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
  const waitsMs: number[] = []
  link.state.subscribe(() => {
    const state = link.state.get()
    if (state.kind === 'lost' && state.retryAtMs !== null) waitsMs.push(state.retryAtMs - page.elapsedMs())
  })
  onTestFinished(link.stop)
  link.start()
  return { link, waitsMs }
}

const growing = { backOff: { baseMs: 64, capMs: 256 } }

function expectGrowth(waitsMs: number[]) {
  const limitsMs = [64, 128, 256, 256]
  for (const [index, limitMs] of limitsMs.entries()) {
    expect(waitsMs[index]).toBeLessThanOrEqual(limitMs)
    expect(waitsMs[index]).toBeGreaterThan(limitMs * 0.8)
  }
}

test('RT-6 the back-off grows while nobody answers', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  await room.kill()
  const { waitsMs } = openLink(room.url, growing)
  await until(() => expect(waitsMs.length).toBeGreaterThanOrEqual(4))
  expectGrowth(waitsMs)
})

test('RT-6 the back-off grows too while connections are cut as soon as they are made, and starts anew after one that lasted', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  room.io.on('connection', (socket) => setImmediate(() => socket.disconnect(true)))
  const flapping = openLink(room.url, growing)
  await until(() => expect(flapping.waitsMs.length).toBeGreaterThanOrEqual(4))
  expectGrowth(flapping.waitsMs)
  const lasting = openLink(room.url, { ...growing, stableAfterMs: 0 })
  await until(() => expect(lasting.waitsMs.length).toBeGreaterThanOrEqual(3))
  expect(Math.max(...lasting.waitsMs)).toBeLessThanOrEqual(64)
})

test('RT-6 a page that is told of a restart comes back when the server is expected, with its back-off anew', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const log = createScriptedLog()
  const room = await openRoom(log)
  const { link, waitsMs } = openLink(room.url, { backOff: { baseMs: 64, capMs: 64_000 } })
  await until(() => expect(link.state.get().kind).toBe('live'))
  room.io.emit(events.restarting, { inMs: 1_500 })
  await until(() => expect(link.state.get().isRestarting).toBe(true))
  await room.kill()
  await until(() => expect(waitsMs.length).toBe(1))
  expect(waitsMs[0]).toBeGreaterThan(64)
  expect(waitsMs[0]).toBeLessThanOrEqual(1_564)
  // Not back as expected: the next attempts are soon.
  await until(() => expect(waitsMs.length).toBeGreaterThanOrEqual(4))
  for (const waitMs of waitsMs.slice(1, 4)) expect(waitMs).toBeLessThanOrEqual(64)
})

test('RT-6 after a connection that lasted, the first attempts come soon after each other', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  const room = await openRoom()
  const { link, waitsMs } = openLink(room.url, { backOff: { baseMs: 64, capMs: 128 }, stableAfterMs: 0 })
  await until(() => expect(link.state.get().kind).toBe('live'))
  await room.kill()
  await until(() => expect(waitsMs.length).toBeGreaterThanOrEqual(6))
  for (const waitMs of waitsMs.slice(0, 5)) expect(waitMs).toBeLessThanOrEqual(64)
  expect(waitsMs[5]).toBeGreaterThan(64)
})

test('RT-6 a server that takes connections and says nothing is given up and tried again', async () => {
  let connections = 0
  const mute = createServer(() => connections++)
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void mute.close())
  openLink(`http://127.0.0.1:${(mute.address() as AddressInfo).port}`, { connectTimeoutMs: 50 })
  await until(() => expect(connections).toBeGreaterThanOrEqual(3))
})

test('RT-6 a server that opens the transport and never answers the handshake is given up and tried again', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { ignoresHandshakes: true })
  openLink(room.url, { connectTimeoutMs: 100 })
  await until(() => expect(log.handshakes.length).toBeGreaterThanOrEqual(3))
})

test('RT-6 where a proxy swallows WebSocket handshakes the page comes in over polling', async () => {
  const room = await openRoom()
  room.http.removeAllListeners('upgrade')
  room.http.on('upgrade', () => {})
  const page = openPage(room.url, { connectTimeoutMs: 300 })
  await waitUntilLive(page)
  expect(room.sockets('messages')[0]!.conn.transport.name).toBe('polling')
})

test('RT-6 a server that says when to come again is not asked before', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { reject: () => 'rate_limited', retryAfterMs: 60_000 })
  const { waitsMs } = openLink(room.url, {})
  await until(() => expect(waitsMs).toHaveLength(1))
  expect(waitsMs[0]).toBeGreaterThan(59_000)
})
