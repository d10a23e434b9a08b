import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import {
  waitUntilLive,
  openPage,
  openRoom,
  outboxOf,
  sendMessage,
  waitUntilSent,
  waitForMessages,
  shownMessages,
  until,
} from '../../tests/web/page-session.ts'
import { createScriptedPage } from '../../tests/web/scripted-page.ts'
import { createScriptedLog, type Script } from '../../tests/web/scripted-room.ts'
import { trackTimers } from '../../tests/web/track-timers.ts'
import type { RoomConnection } from './room-connection.ts'
import type { Timing } from './timing.ts'

// With this back-off, a page does not retry by itself during a test.
const slowRetries: Partial<Timing> = { backOff: { baseMs: 3_600_000, capMs: 3_600_000 }, sleepCheckMs: 200 }

async function livePage(script: Script = {}, timing: Partial<Timing> = {}, scripted = createScriptedPage()) {
  const log = createScriptedLog()
  const room = await openRoom(log, script)
  const page = openPage(room.url, { ...slowRetries, ...timing }, scripted)
  await waitUntilLive(page)
  const connections = () => [...room.io.of('/').sockets.keys()].toSorted()
  return { log, room, scripted, page, connections }
}

/** Waits until the page has received everything that the server sent so far, rendered or not. */
async function catchUp(page: RoomConnection) {
  sendMessage(page, 'caught up')
  await waitUntilSent(page)
}

type Scripted = ReturnType<typeof createScriptedPage>
const wakeUps: [string, (scripted: Scripted, page: RoomConnection) => void][] = [
  ['online', ({ setOnline }) => setOnline(true)],
  ['visible again', ({ setHidden }) => [true, false].forEach(setHidden)],
  ['after a sleep', ({ advanceTime }) => advanceTime(60_000)],
  ['retryNow', (_scripted, { actions }) => actions.retryNow()],
]

test.each(wakeUps)('RT-6 a page that lost its connection reconnects at once: %s', async (_how, wakeUp) => {
  const { log, room, scripted, page } = await livePage()
  await room.crash()
  await until(() => expect(page.status.get()).toMatchObject({ kind: 'lost', retryAtMs: expect.any(Number) }))
  scripted.setOnline(false)
  expect(page.status.get()).toMatchObject({ kind: 'offline' })
  await openRoom(log, {}, room.port)
  wakeUp(scripted, page)
  await waitUntilLive(page)
})

test('RT-6 a page that wakes replaces a connection that has been silent for too long', async () => {
  const { log, room, scripted, page, connections } = await livePage()
  room.broadcast('one')
  await waitForMessages(page, '1 one')
  const before = connections()
  scripted.advanceTime(60_000)
  scripted.dispatch('online')
  await until(() => expect(connections().some((id) => before.includes(id))).toBe(false))
  await waitUntilLive(page)
  room.broadcast('two')
  await waitForMessages(page, '1 one', '2 two')
  expect(log.handshakes).toContainEqual({ channel: 'messages', removals: true, cursor: { epoch: log.epoch, seq: 1 } })
})

test('RT-6 a page that wakes keeps a connection that receives pings', async () => {
  const { room, scripted, page, connections } = await livePage({ pingIntervalMs: 50 }, { sleepCheckMs: 3_600_000 })
  const before = connections()
  scripted.advanceTime(60_000)
  // The first pong may respond to a ping from before the clock advanced; the second cannot.
  const pongs = new Map<string, number>()
  for (const { id, conn } of room.io.of('/').sockets.values()) {
    conn.on('packet', ({ type }: { type: string }) => type === 'pong' && pongs.set(id, (pongs.get(id) ?? 0) + 1))
  }
  await until(() => expect([...pongs.values()].filter((count) => count >= 2)).toHaveLength(2))
  scripted.dispatch('online')
  await catchUp(page)
  expect(connections()).toEqual(before)
})

test('RT-1 a page closes both connections on pagehide and resumes on pageshow', async () => {
  const { room, scripted, page } = await livePage()
  room.broadcast('one')
  await waitForMessages(page, '1 one')
  scripted.dispatch('pagehide')
  await until(() => expect(room.io.engine.clientsCount).toBe(0))
  room.broadcast('two')
  scripted.dispatch('pageshow')
  scripted.dispatch('pageshow')
  await waitUntilLive(page)
  await waitForMessages(page, '1 one', '2 two')
  expect(room.io.engine.clientsCount).toBe(2)
})

test('RT-3 a thousand messages are published in one frame, without copying the list', async () => {
  const scripted = createScriptedPage({ framesRun: false })
  const { room, page } = await livePage({}, {}, scripted)
  room.broadcast('first')
  await catchUp(page)
  scripted.runFrame()
  await pause(5)
  const before = page.messages.get()
  const framesBefore = scripted.requestedFrames()
  let shown = 0
  page.messages.subscribe(() => shown++)
  for (let number = 0; number < 1_000; number++) room.broadcast(`${number}`)
  await catchUp(page)
  expect(page.messages.get()).toBe(before)
  expect(scripted.requestedFrames()).toBe(framesBefore + 1)
  scripted.runFrame()
  expect(shown).toBe(1)
  expect(page.messages.get()).not.toBe(before)
  expect(page.messages.get().entries).toBe(before.entries)
  expect(page.messages.get().length).toBe(before.length + 1_001)
})

test('RT-3 at a high message rate the first message is published at once, later ones after a pause, and none is lost', async () => {
  const scripted = createScriptedPage()
  const { room, page } = await livePage({}, { publishPauseMs: 300 }, scripted)
  const shownAtMs: number[] = []
  page.messages.subscribe(() => shownAtMs.push(performance.now()))
  // Wait for the end of the pause after the first update.
  await pause(350)
  const startedAtMs = performance.now()
  for (let number = 0; number < 100; number++) {
    room.broadcast(`${number}`)
    await pause(7)
  }
  await until(() => expect(page.messages.get().length).toBe(100))
  expect((shownAtMs[0] ?? Infinity) - startedAtMs).toBeLessThan(250)
  const gaps = shownAtMs.slice(1).map((at, index) => at - (shownAtMs[index] ?? 0))
  expect(gaps.length).toBeGreaterThanOrEqual(2)
  expect(Math.min(...gaps)).toBeGreaterThan(290)
})

test('RT-3 the pause between two updates grows with the rendering time', async () => {
  const { room, page } = await livePage({}, { publishPauseMs: 20 }, createScriptedPage())
  const renderingMs = 60
  const shownAtMs: number[] = []
  page.messages.subscribe(() => {
    shownAtMs.push(performance.now())
    while (performance.now() < (shownAtMs.at(-1) ?? 0) + renderingMs);
  })
  for (let number = 0; number < 100; number++) {
    room.broadcast(`${number}`)
    await pause(7)
  }
  await until(() => expect(page.messages.get().length).toBe(100))
  const gaps = shownAtMs.slice(1).map((at, index) => at - (shownAtMs[index] ?? 0))
  expect(gaps.length).toBeGreaterThanOrEqual(1)
  expect(Math.min(...gaps)).toBeGreaterThan(4 * renderingMs)
})

test('RT-3 a hidden page requests no frames and loses no message, including those received just before', async () => {
  const scripted = createScriptedPage({ framesRun: false })
  const { room, page } = await livePage({}, { hiddenPublishIntervalMs: 20 }, scripted)
  room.broadcast('just before')
  await catchUp(page)
  expect(shownMessages(page)).toEqual([])
  scripted.setHidden(true)
  await waitForMessages(page, '1 just before', '2 caught up')
  const framesBefore = scripted.requestedFrames()
  room.broadcast('hidden')
  await waitForMessages(page, '1 just before', '2 caught up', '3 hidden')
  expect(scripted.requestedFrames()).toBe(framesBefore)
})

test('RT-1 a stopped page leaves no connection, listener or timer, in any state', async () => {
  const timers = trackTimers()
  const busy = await livePage({
    acknowledge: () => ({ ok: false, code: 'unavailable', message: 'Later.', retryAfterMs: 600_000 }),
  })
  sendMessage(busy.page, 'hello')
  await until(() => expect(outboxOf(busy.page)).toEqual(['hello paused']))
  busy.room.io.emit(events.restarting, { inMs: 600_000 })
  await until(() => expect(busy.page.status.get().kind).toBe('restarting'))
  const lost = await livePage()
  await lost.room.crash()
  await until(() => expect(lost.page.status.get().kind).toBe('lost'))
  const connecting = openPage(busy.room.url)
  for (const page of [busy.page, lost.page, connecting]) page.stop()
  await until(() => expect(busy.room.io.engine.clientsCount).toBe(0))
  expect([busy.scripted.listenerCount(), lost.scripted.listenerCount()]).toEqual([0, 0])
  await busy.room.crash()
  await until(() => expect(timers()).toBe(0))
  expect(lost.page.status.get()).toEqual({ kind: 'connecting' })
})
