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

test('OUTBOX-1 what is sent while the server is away, each over the last, goes out in order when it is back', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url)
  await waitUntilLive(page)
  await room.kill()
  await until(() => expect(page.status.get().kind).toBe('lost'))
  for (const text of ['one', 'two', 'three']) sendMessage(page, text)
  expect(outboxOf(page)).toEqual(['one queued', 'two queued', 'three queued'])
  expect(page.sender.get().draft).toBe('three')
  await openRoom(log, {}, room.port)
  await waitUntilSent(page)
  await waitForMessages(page, '1 one', '2 two', '3 three')
  expect(page.sender.get().draft).toBe('')
})

test('OUTBOX-1 one message is in flight: the next is not handed over before the last is answered', async () => {
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

test('OUTBOX-4 a refusal of what was written over is shown, and what waits behind it is stored', async () => {
  const refusal: SendAck = { ok: false, code: 'invalid', message: 'Not like this.' }
  const room = await openRoom(createScriptedLog(), { answer: ({ message }) => (message === 'bad' ? refusal : null) })
  const page = openPage(room.url)
  await waitUntilLive(page)
  for (const text of ['bad', 'good']) sendMessage(page, text)
  await waitForMessages(page, '1 good')
  expect(page.sender.get().outbox).toMatchObject([
    { payload: { message: 'bad' }, state: { kind: 'refused', reason: 'Not like this.' } },
  ])
})

test('OUTBOX-6 a reload in the middle repeats what was handed over, under the same id, and sends the rest', async () => {
  const log = createScriptedLog()
  const script: Script = { losesAcks: true }
  const room = await openRoom(log, script)
  const before = createScriptedPage()
  const first = openPage(room.url, {}, before)
  await waitUntilLive(first)
  for (const text of ['stored', 'waiting']) sendMessage(first, text, 'ann')
  first.actions.setDraft('half a')
  await until(() => expect(log.messages).toHaveLength(1))
  expect(before.warns()).toBe(true)
  first.stop()
  script.losesAcks = false
  const after = createScriptedPage({ storage: before.storage })
  const second = openPage(room.url, {}, after)
  expect(second.anonymousName.get()).toBe('ann')
  expect(second.sender.get().draft).toBe('half a')
  expect(after.warns()).toBe(true)
  await waitUntilSent(second)
  expect(log.messages.map(({ message }) => message)).toEqual(['stored', 'waiting'])
  expect(log.sends[1]).toEqual(log.sends[0])
  expect(after.warns()).toBe(false)
  second.actions.setDraft('')
  second.anonymousName.set('anonymous')
  expect([...after.storage]).toEqual([])
})

test('OUTBOX-7 a clock that is set back does not put off a message that waits', async () => {
  const log = createScriptedLog()
  const tooFast: SendAck = { ok: false, code: 'rate_limited', message: 'Too fast.', retryAfterMs: 300 }
  const room = await openRoom(log, { answer: () => (log.sends.length === 1 ? tooFast : null) })
  const scripted = createScriptedPage()
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await until(() => expect(outboxOf(page)).toEqual(['hello paused']))
  scripted.setClock(-3_600_000)
  page.actions.setDraft('typed meanwhile')
  await waitUntilSent(page)
  await waitForMessages(page, '1 hello')
})

test('CONNECTION-1 offline is said at once; a connection that is heard all the same is live again', async () => {
  const scripted = createScriptedPage()
  const room = await openRoom(createScriptedLog(), { pingIntervalMs: 50 })
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  scripted.setOnline(false)
  expect(page.status.get()).toEqual({ kind: 'lost', online: false, retryAtMs: null })
  await waitUntilLive(page)
})

test('CONNECTION-1 back online, a connection that has not been heard since is made anew', async () => {
  const scripted = createScriptedPage()
  const log = createScriptedLog()
  const room = await openRoom(log)
  const page = openPage(room.url, {}, scripted)
  await waitUntilLive(page)
  const before = [...room.io.of('/').sockets.keys()]
  scripted.setOnline(false)
  scripted.setOnline(true)
  expect(page.status.get()).toEqual({ kind: 'lost', online: true, retryAtMs: null })
  await waitUntilLive(page)
  await until(() => expect([...room.io.of('/').sockets.keys()].filter((id) => before.includes(id))).toEqual([]))
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
})

test('DELIVERY-4 a new log without a message is no gap for a page that was there before the first one', async () => {
  const room = await openRoom()
  const page = openPage(room.url)
  await waitUntilLive(page)
  await room.kill()
  const other = await openRoom(createScriptedLog('second-log'), {}, room.port)
  await until(() => expect(other.sockets('messages')).toHaveLength(1))
  other.say('the first word')
  await waitForMessages(page, '1 the first word')
})
