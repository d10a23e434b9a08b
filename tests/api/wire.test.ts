import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { HandshakeAuth } from '../../contract/handshake.ts'
import type { RegistrationRequest, RegistrationResponse } from '../../contract/accounts.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { routes } from '../../contract/routes.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'

/** Server for the tests that do not need an empty log. */
const sharedServer = shareServer()

/** Message with every field, so that a field lost in transit fails the assertion. */
const hello: Required<ChatMessage> = { username: 'alice', message: 'hello', createdTime: 1 }
const broadcastHello = { ...hello, username: 'alice (not loggedin)' }
/** Message with the three specified fields. A client that requests no extensions receives no other field. */
const specifiedHello = { username: 'alice (not loggedin)', message: 'hello', createdTime: 1 }

test.each(['websocket', 'polling'])(
  'WIRE-1 over %s a connection without extensions receives only the two specified events, with one argument each',
  async (transport) => {
    const server = await startServer()
    const plain = server.client({ transports: [transport] })
    const receivedEvents: [string, ...unknown[]][] = []
    plain.onAny((event: string, ...args: unknown[]) => receivedEvents.push([event, ...args]))
    await waitForConnect(plain)
    plain.emit(events.resume, { epoch: 'any', seq: 0 })
    const other = await waitForConnect(server.client({ auth: { positions: true } }))
    const ids = [plain.id, other.id]
    await expect.poll(() => receivedEvents.at(-1)).toStrictEqual([events.onlineUsers, expect.arrayContaining(ids)])
    expect(await plain.emitWithAck(events.sendMessage, hello)).toStrictEqual({ ok: true, seq: 1 })
    await expect.poll(() => receivedEvents.at(-1)).toStrictEqual([events.receiveMessage, specifiedHello])
    expect(new Set(receivedEvents.map((args) => args.length))).toStrictEqual(new Set([2]))
    expect(new Set(receivedEvents.map(([event]) => event))).toStrictEqual(
      new Set([events.onlineUsers, events.receiveMessage]),
    )
  },
)

test('WIRE-1 a connection without extensions receives no field of the account that sent a message', async () => {
  const server = sharedServer()
  const readers = ['websocket', 'polling'].map((transport) => server.client({ transports: [transport] }))
  const received = readers.map((reader) => nextEvent(reader, events.receiveMessage))
  await Promise.all(readers.map((reader) => waitForConnect(reader)))
  /** Registration with every field, so that the account has all data that a message could carry. */
  const registration: Required<RegistrationRequest> = {
    name: 'bob',
    email: 'bob@example.org',
    password: 'correct horse',
  }
  const response = await server.call(routes.register, registration)
  const { token } = (await response.json()) as RegistrationResponse
  const sender = await waitForConnect(server.client({ auth: { token } }))
  sender.emit(events.sendMessage, hello)
  const message = { ...specifiedHello, username: 'bob' }
  expect(await Promise.all(received)).toStrictEqual([[message], [message]])
})

/** Every option of `auth` that the specification does not have, with a value that requests it. */
const extensions: Required<Omit<HandshakeAuth, 'token'>> = {
  positions: true,
  channel: 'messages',
  cursor: { epoch: 'another', seq: 3 },
  deltas: true,
  removals: true,
}

test.each(Object.entries(extensions).map(([option, value]) => ({ [option]: value })))(
  'WIRE-1 a connection with auth %j receives a cursor first, then each message with its position',
  async (auth) => {
    // A client with the cursor of another log receives the earlier messages of this log first.
    const server = 'cursor' in auth ? await startServer() : sharedServer()
    const client = server.client({ auth })
    // The number of removals is part of the cursor, not of the position of a message.
    const [{ removals: _, ...position }] = await nextEvent<[Cursor]>(client, events.cursor)
    const received = nextEvent(client, events.receiveMessage)
    client.emit(events.sendMessage, hello)
    expect(await received).toStrictEqual([broadcastHello, { ...position, seq: position.seq + 1 }])
  },
)

test('WIRE-1 undefined send options, which are null on the wire, count as absent', async () => {
  const socket = await waitForConnect((await startServer()).client())
  const got = collectSocketEvents<[ChatMessage]>(socket, events.receiveMessage)
  const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }
  socket.emit(events.sendMessage, message, undefined)
  expect(await socket.emitWithAck(events.sendMessage, message, null)).toStrictEqual({ ok: true, seq: 2 })
  await got.atLeast(2)
})

test('WIRE-1 online lists carry their version for clients that requested extensions, with or without deltas', async () => {
  const server = sharedServer()
  for (const auth of [{ positions: true }, { channel: 'presence' }, { channel: 'presence', deltas: true }]) {
    const watcher = server.client({ auth })
    const [list, version] = await nextEvent(watcher, events.onlineUsers)
    expect(list).toContain(watcher.id)
    expect(version).toStrictEqual({ version: expect.any(Number) })
  }
})
