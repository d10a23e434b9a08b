import { expect, test } from 'vitest'
import type { SendAck } from '../../contract/messages.ts'
import {
  waitUntilLive,
  openPage,
  openRoom,
  outboxOf,
  sendMessage,
  waitUntilSent,
  waitForMessages,
  until,
} from '../../tests/web/page-session.ts'
import { createScriptedPage } from '../../tests/web/scripted-page.ts'
import { createScriptedLog, type Script } from '../../tests/web/scripted-room.ts'

test('OUTBOX-1 messages sent while the server is down are delivered in order when it is back', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  await room.crash()
  await until(() => expect(page.status.get().kind).toBe('lost'))
  for (const text of ['one', 'two', 'three']) sendMessage(page, text)
  expect(outboxOf(page)).toEqual(['one queued', 'two queued', 'three queued'])
  expect(page.sender.get().draft).toBe('three')
  await openRoom(log, {}, room.port)
  await waitUntilSent(page)
  await waitForMessages(page, '1 one', '2 two', '3 three')
  expect(page.sender.get().draft).toBe('')
})

test('OUTBOX-1 one message is in flight: the next is emitted after the acknowledgement of the previous one', async () => {
  const log = createScriptedLog()
  const script: Script = { losesAcks: true }
  const room = await openRoom(log, script)
  const page = openPage(room.url)
  await waitUntilLive(page)
  for (const text of ['one', 'two']) sendMessage(page, text)
  await until(() => expect(log.sends).toHaveLength(1))
  expect(outboxOf(page)).toEqual(['one sending', 'two queued'])
  script.losesAcks = false
  room.io.disconnectSockets()
  await waitUntilSent(page)
  expect(log.sends.map(({ payload }) => payload.message)).toEqual(['one', 'one', 'two'])
  await waitForMessages(page, '1 one', '2 two')
})

test('OUTBOX-4 a rejected message stays in the outbox with its reason, and the next one is stored', async () => {
  const rejection: SendAck = { ok: false, code: 'invalid', message: 'Not like this.' }
  const room = await openRoom(createScriptedLog(), {
    acknowledge: ({ message }) => (message === 'bad' ? rejection : null),
  })
  const page = openPage(room.url)
  await waitUntilLive(page)
  for (const text of ['bad', 'good']) sendMessage(page, text)
  await waitForMessages(page, '1 good')
  expect(page.sender.get().outbox).toMatchObject([
    { payload: { message: 'bad' }, state: { kind: 'refused', reason: 'Not like this.' } },
  ])
})

test('OUTBOX-6 after a reload the page repeats the message in flight under the same id and sends the others', async () => {
  const log = createScriptedLog()
  const script: Script = { losesAcks: true }
  const room = await openRoom(log, script)
  const before = createScriptedPage()
  const first = openPage(room.url, {}, before)
  await waitUntilLive(first)
  for (const text of ['stored', 'waiting']) sendMessage(first, text, 'ann')
  first.actions.setDraft('half a')
  await until(() => expect(log.messages).toHaveLength(1))
  expect(before.hasLeaveWarning()).toBe(true)
  first.stop()
  script.losesAcks = false
  const after = createScriptedPage({ storage: before.storage })
  const second = openPage(room.url, {}, after)
  expect(second.anonymousName.get()).toBe('ann')
  expect(second.sender.get().draft).toBe('half a')
  expect(after.hasLeaveWarning()).toBe(true)
  await waitUntilSent(second)
  expect(log.messages.map(({ message }) => message)).toEqual(['stored', 'waiting'])
  expect(log.sends[1]).toEqual(log.sends[0])
  expect(after.hasLeaveWarning()).toBe(false)
  second.actions.setDraft('')
  second.anonymousName.set('anonymous')
  expect([...after.storage]).toEqual([])
})

test('OUTBOX-7 setting the clock back does not delay a paused message', async () => {
  const log = createScriptedLog()
  const tooFast: SendAck = { ok: false, code: 'rate_limited', message: 'Too fast.', retryAfterMs: 300 }
  const room = await openRoom(log, { acknowledge: () => (log.sends.length === 1 ? tooFast : null) })
  const scripted = createScriptedPage()
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await until(() => expect(outboxOf(page)).toEqual(['hello paused']))
  scripted.adjustClock(-3_600_000)
  page.actions.setDraft('typed meanwhile')
  await waitUntilSent(page)
  await waitForMessages(page, '1 hello')
})

test('CONNECTION-1 the status is offline at once, and live again when both connections receive pings', async () => {
  const scripted = createScriptedPage()
  const room = await openRoom(createScriptedLog(), { pingIntervalMs: 50 })
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  scripted.setOnline(false)
  expect(page.status.get()).toEqual({ kind: 'offline', retryAtMs: null })
  await waitUntilLive(page)
})

test('OUTBOX-5 a message sent in an offline browser can be corrected, and is sent when the connection receives a ping', async () => {
  const scripted = createScriptedPage()
  const log = createScriptedLog()
  const room = await openRoom(log, { pingIntervalMs: 50 })
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  scripted.setOnline(false)
  sendMessage(page, 'helo')
  expect(outboxOf(page)).toEqual(['helo queued'])
  page.actions.setDraft('hel', true)
  expect(outboxOf(page)).toEqual([])
  sendMessage(page, 'hello')
  await waitUntilSent(page)
  expect(log.sends.map(({ payload }) => payload.message)).toEqual(['hello'])
})

test('CONNECTION-1 when the browser is online again, connections that received no ping meanwhile are replaced', async () => {
  const scripted = createScriptedPage()
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  const before = [...room.io.of('/').sockets.keys()]
  scripted.setOnline(false)
  scripted.setOnline(true)
  expect(page.status.get()).toEqual({ kind: 'lost', retryAtMs: null })
  await waitUntilLive(page)
  await until(() => expect([...room.io.of('/').sockets.keys()].filter((id) => before.includes(id))).toEqual([]))
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
})

test('DELIVERY-4 a page that has received no message shows a gap when another log replaces its log', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  await waitUntilLive(page)
  await room.crash()
  const other = await openRoom(createScriptedLog('second-log'), {}, room.port)
  await until(() => expect(other.sockets('messages')).toHaveLength(1))
  other.broadcast('the first message')
  await waitForMessages(page, 'gap', '1 the first message')
})
