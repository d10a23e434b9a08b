import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { connected, gather, nextEvent } from '../support/listening.ts'
import { startServer } from '../support/start-server.ts'

/** With every field there is: one that is lost on its way is missed below. */
const hello: Required<ChatMessage> = { username: 'alice', message: 'hello', createdTime: 1 }
const heardHello = { ...hello, username: 'alice (not loggedin)' }
/** Nothing but these three: the specification knows no others, and whoever asks for nothing more is told no more. */
const specifiedHello = { username: 'alice (not loggedin)', message: 'hello', createdTime: 1 }

test.each(['websocket', 'polling'])(
  'WIRE-1 over %s a connection that asks for nothing is told the two specified events, with one argument each',
  async (transport) => {
    const server = await startServer()
    const plain = server.client({ transports: [transport] })
    const told: [string, ...unknown[]][] = []
    plain.onAny((event: string, ...args: unknown[]) => told.push([event, ...args]))
    await connected(plain)
    plain.emit(events.resume, { epoch: 'any', seq: 0 })
    const other = await connected(server.client({ auth: { positions: true } }))
    const ids = [plain.id, other.id]
    await expect.poll(() => told.at(-1)).toStrictEqual([events.onlineUsers, expect.arrayContaining(ids)])
    expect(await plain.emitWithAck(events.sendMessage, hello)).toStrictEqual({ ok: true, seq: 1 })
    await expect.poll(() => told.at(-1)).toStrictEqual([events.receiveMessage, specifiedHello])
    expect(new Set(told.map((args) => args.length))).toStrictEqual(new Set([2]))
    expect(new Set(told.map(([event]) => event))).toStrictEqual(new Set([events.onlineUsers, events.receiveMessage]))
  },
)

test.each([
  [{ positions: true }],
  [{ channel: 'messages' }],
  [{ cursor: { epoch: 'another', seq: 3 } }],
  [{ deltas: true }],
])('WIRE-1 the auth %j asks for positions: a cursor first, then each message with its place', async (auth) => {
  const server = await startServer()
  const client = server.client({ auth })
  const [cursor] = await nextEvent<[{ epoch: string; seq: number }]>(client, events.cursor)
  const received = nextEvent(client, events.receiveMessage)
  client.emit(events.sendMessage, hello)
  expect(await received).toStrictEqual([heardHello, { ...cursor, seq: cursor.seq + 1 }])
})

test('WIRE-1 nothing passed for the options, which is null on the wire, is nothing', async () => {
  const socket = await connected((await startServer()).client())
  const got = gather<[ChatMessage]>(socket, events.receiveMessage)
  const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }
  socket.emit(events.sendMessage, message, undefined)
  expect(await socket.emitWithAck(events.sendMessage, message, null)).toStrictEqual({ ok: true, seq: 2 })
  await got.atLeast(2)
})

test('WIRE-1 lists carry their version for those who asked, whether they want deltas or not', async () => {
  const server = await startServer()
  for (const auth of [{ positions: true }, { channel: 'presence' }, { channel: 'presence', deltas: true }]) {
    const watcher = server.client({ auth })
    const [list, version] = await nextEvent(watcher, events.onlineUsers)
    expect(list).toContain(watcher.id)
    expect(version).toStrictEqual({ version: expect.any(Number) })
  }
})
