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
import { createScriptedLog, type Script } from '../../tests/web/scripted-room.ts'

test('RT-2 SEND-2 SEND-3 SEND-4 a message is sent with its three fields, and the field is cleared when it is stored', async () => {
  const log = createScriptedLog()
  const page = openPage((await openRoom(log)).url)
  await waitUntilLive(page)
  const beforeMs = Date.now()
  sendMessage(page, 'hello')
  expect(outboxOf(page)).toEqual(['hello sending'])
  expect(page.sender.get().draft).toBe('hello')
  await waitUntilSent(page)
  expect(page.sender.get().draft).toBe('')
  await waitForMessages(page, '1 hello')
  const [{ payload, options }] = log.sends as [(typeof log.sends)[0]]
  expect(payload).toEqual({ username: 'bob (not loggedin)', message: 'hello', createdTime: expect.any(Number) })
  expect(payload.createdTime).toBeGreaterThanOrEqual(beforeMs)
  expect(options).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), after: { epoch: log.epoch, seq: 0 } })
})

test('SEND-1 nothing is sent without a message or a name', async () => {
  const log = createScriptedLog()
  const page = openPage((await openRoom(log)).url)
  await waitUntilLive(page)
  sendMessage(page, '  ')
  sendMessage(page, 'hello', ' ')
  expect(outboxOf(page)).toEqual([])
  sendMessage(page, 'sent')
  await waitForMessages(page, '1 sent')
  expect(log.sends).toHaveLength(1)
})

test('DELIVERY-5 a message stored without acknowledgement before a crash is repeated unchanged and shown once', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { losesAcks: true })
  const page = openPage(room.url)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await until(() => expect(log.messages).toHaveLength(1))
  await room.crash()
  expect(page.sender.get().draft).toBe('hello')
  const again = await openRoom(log, { losesAcks: true }, room.port)
  await until(() => expect(log.sends).toHaveLength(2))
  page.actions.setDraft(' and more')
  await again.crash()
  await openRoom(log, {}, room.port)
  await waitUntilSent(page)
  expect(page.sender.get().draft).toBe(' and more')
  expect(log.sends).toHaveLength(3)
  expect(log.sends[1]).toEqual(log.sends[0])
  expect(log.sends[2]).toEqual(log.sends[0])
  await waitForMessages(page, '1 hello')
})

test('DELIVERY-5 a message without acknowledgement on a live connection is repeated', async () => {
  const log = createScriptedLog()
  const script: Script = { acknowledge: () => (log.sends.length < 3 ? 'silence' : null) }
  const page = openPage((await openRoom(log, script)).url, { ackTimeoutMs: 30 })
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await waitUntilSent(page)
  expect(log.sends.length).toBeGreaterThanOrEqual(3)
  expect(new Set(log.sends.map((send) => JSON.stringify(send))).size).toBe(1)
  expect(log.messages).toHaveLength(1)
  expect(log.handshakes).toHaveLength(2)
})

test('DELIVERY-5 a message sent before the first connection is emitted when it opens', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log)
  await room.crash()
  const page = openPage(room.url)
  sendMessage(page, 'early')
  await until(() => expect(page.status.get().kind).toBe('lost'))
  log.messages.push({ username: 'other', message: 'before', createdTime: 1 })
  await openRoom(log, {}, room.port)
  await waitUntilSent(page)
  expect(log.sends[0]?.options.after).toEqual({ epoch: log.epoch, seq: 1 })
})

test('DELIVERY-2 a rate-limited message stays in the field with its retry time and is sent again automatically', async () => {
  const log = createScriptedLog()
  const tooFast: SendAck = { ok: false, code: 'rate_limited', message: 'Too fast.', retryAfterMs: 200 }
  const page = openPage((await openRoom(log, { acknowledge: () => (log.sends.length === 1 ? tooFast : null) })).url)
  await waitUntilLive(page)
  const sentMs = performance.now()
  sendMessage(page, 'hello')
  const pausedMs = await until(() => {
    const state = page.sender.get().outbox[0]?.state
    expect(state).toMatchObject({ kind: 'paused', reason: 'Too fast.' })
    return state?.kind === 'paused' ? state.retryAtMs : 0
  })
  expect(pausedMs).toBeGreaterThanOrEqual(sentMs + 200)
  expect(page.sender.get().draft).toBe('hello')
  await waitUntilSent(page)
  expect(performance.now() - sentMs).toBeGreaterThanOrEqual(195)
  expect(log.sends[1]).toEqual(log.sends[0])
  await waitForMessages(page, '1 hello')
})

test('SEND-4 a rejection keeps the text and its reason, and Send creates a new message', async () => {
  const log = createScriptedLog()
  const tooLong: SendAck = { ok: false, code: 'too_long', message: 'Too long.' }
  const page = openPage((await openRoom(log, { acknowledge: () => (log.sends.length === 1 ? tooLong : null) })).url)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await until(() =>
    expect(page.sender.get().outbox).toMatchObject([{ state: { kind: 'refused', reason: 'Too long.' } }]),
  )
  expect(page.sender.get().draft).toBe('hello')
  page.actions.send()
  await waitUntilSent(page)
  expect(log.sends[1]?.options.id).not.toBe(log.sends[0]?.options.id)
})

test('ID-1 DELIVERY-6 a login reconnects with token and cursor, and holds the unacknowledged message until Send', async () => {
  const log = createScriptedLog()
  const script: Script = { losesAcks: true }
  const room = await openRoom(log, script)
  const page = openPage(room.url)
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
  const before = room.sockets('messages')[0]!.id
  page.actions.logIn('Bob', 'secret')
  script.losesAcks = false
  expect(page.identity.get()).toBe('Bob')
  expect(outboxOf(page)).toEqual(['hello held'])
  await waitUntilLive(page)
  expect(log.handshakes.at(-1)).toEqual({
    channel: 'messages',
    removals: true,
    token: 'secret',
    cursor: { epoch: log.epoch, seq: 1 },
  })
  await until(() => expect(room.sockets('messages').map(({ id }) => id)).toEqual([expect.not.stringMatching(before)]))
  expect(page.sender.get().draft).toBe('hello')
  expect(log.sends).toHaveLength(1)
  page.actions.send()
  await waitUntilSent(page)
  sendMessage(page, 'as Bob')
  await waitForMessages(page, '1 hello', '2 as Bob')
  expect(log.sends.map(({ payload }) => payload.username)).toEqual(['bob (not loggedin)', 'Bob', 'Bob'])
})

test('DELIVERY-6 a draft of an account that cannot be sent anonymously keeps its author', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { reject: ({ token }) => (token ? 'unauthorized' : null) })
  const page = openPage(room.url)
  page.actions.logIn('Mia', 'expired')
  page.actions.setDraft('hello')
  await until(() => expect(page.identityNotice.get()).toBe('token_rejected'))
  page.anonymousName.set(' ')
  page.actions.send(true)
  expect(page.sender.get()).toMatchObject({ draft: 'hello', draftAccount: 'Mia', outbox: [] })
  page.anonymousName.set('lena')
  page.actions.send(true)
  await waitForMessages(page, '1 hello')
})

test('DELIVERY-6 a rejected token makes the page anonymous and sets the identity notice', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { reject: ({ token }) => (token ? 'unauthorized' : null) })
  const page = openPage(room.url)
  await waitUntilLive(page)
  page.actions.logIn('Bob', 'stale')
  await until(() => expect(page.identityNotice.get()).toBe('token_rejected'))
  expect(page.identity.get()).toBe('anonymous-not-loggedin')
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await waitForMessages(page, '1 hello')
  expect(log.sends[0]?.payload.username).toBe('bob (not loggedin)')
  page.actions.logIn('Bob', 'another')
  expect(page.identityNotice.get()).toBeNull()
})

test('DELIVERY-6 while the server cannot check a token the page retries and stays logged in', async () => {
  const log = createScriptedLog()
  const tries = () => log.handshakes.filter(({ token }) => token === 'secret').length
  const room = await openRoom(log, { reject: ({ token }) => (token && tries() < 4 ? 'unavailable' : null) })
  const page = openPage(room.url)
  await waitUntilLive(page)
  page.actions.logIn('Bob', 'secret')
  await until(() => expect(tries()).toBe(4))
  await waitUntilLive(page)
  expect(page.identity.get()).toBe('Bob')
  expect(page.identityNotice.get()).toBeNull()
})

test('DELIVERY-6 when a token expires on an open connection the text is kept and the page reconnects', async () => {
  const log = createScriptedLog()
  const script: Script = {}
  const page = openPage((await openRoom(log, script)).url)
  await waitUntilLive(page)
  page.actions.logIn('Bob', 'secret')
  await waitUntilLive(page)
  script.reject = ({ token }) => (token ? 'unauthorized' : null)
  script.acknowledge = () => ({ ok: false, code: 'unauthorized', message: 'Log in again.' })
  sendMessage(page, 'hello')
  await until(() => expect(page.identityNotice.get()).toBe('token_rejected'))
  expect(outboxOf(page)).toEqual(['hello held'])
  expect(page.sender.get().draft).toBe('hello')
})

test('DELIVERY-6 a message in flight is held when the token is rejected after a restart', async () => {
  const log = createScriptedLog()
  const room = await openRoom(log, { acknowledge: () => 'silence' })
  const page = openPage(room.url)
  await waitUntilLive(page)
  page.actions.logIn('Bob', 'secret')
  await waitUntilLive(page)
  sendMessage(page, 'hello')
  await until(() => expect(log.sends).toHaveLength(1))
  await room.crash()
  const again = await openRoom(log, { reject: ({ token }) => (token ? 'unauthorized' : null) }, room.port)
  await until(() => expect(page.identityNotice.get()).toBe('token_rejected'))
  await waitUntilLive(page)
  again.broadcast('the room is open')
  await waitForMessages(page, '1 the room is open')
  expect(outboxOf(page)).toEqual(['hello held'])
  expect(page.sender.get().draft).toBe('hello')
  expect(log.sends).toHaveLength(1)
})
