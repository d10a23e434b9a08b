import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'

/** Server for the tests that need neither an empty log nor a complete list of connections. */
const sharedServer = shareServer()

const hello = (message = 'hello'): ChatMessage => ({ username: 'alice', message, createdTime: 1_700_000_000_000 })
type Received = [ChatMessage, Cursor]

test('RT-2 RT-3 a client sends three fields and all clients, including the sender, receive exactly these', async () => {
  const server = sharedServer()
  const [alice, bob] = [server.client(), server.client()]
  await Promise.all([waitForConnect(alice), waitForConnect(bob)])
  const received = [nextEvent<Received>(alice, events.receiveMessage), nextEvent<Received>(bob, events.receiveMessage)]
  alice.emit(events.sendMessage, hello())
  for (const [payload] of await Promise.all(received)) {
    expect(payload).toStrictEqual({ ...hello(), username: 'alice (not loggedin)' })
  }
})

test('RT-3 a client that uses only polling sends and receives messages in order', async () => {
  const server = sharedServer()
  const alice = server.client({ transports: ['polling'] })
  await waitForConnect(alice)
  const received = collectSocketEvents<Received>(alice, events.receiveMessage)
  for (let i = 0; i < 20; i++) alice.emit(events.sendMessage, hello(`number ${i}`))
  const texts = (await received.atLeast(20)).map(([{ message }]) => message)
  expect(texts).toStrictEqual(Array.from({ length: 20 }, (_, i) => `number ${i}`))
})

test('RT-4 every connected socket is listed, so a page with two connections is listed twice', async () => {
  const server = await startServer()
  const watcher = server.client()
  const [list] = await nextEvent<[string[]]>(watcher, events.onlineUsers)
  expect(list).toStrictEqual([watcher.id])
  const lists = collectSocketEvents<[string[]]>(watcher, events.onlineUsers)
  const page = [server.client({ auth: { channel: 'presence' } }), server.client({ auth: { channel: 'messages' } })]
  await Promise.all(page.map(waitForConnect))
  await expect
    .poll(() => lists.seen.at(-1)?.[0])
    .toStrictEqual(expect.arrayContaining([watcher.id, page[0]?.id, page[1]?.id]))
  page[0]?.close()
  await expect.poll(() => lists.seen.at(-1)?.[0].toSorted()).toStrictEqual([watcher.id, page[1]?.id].toSorted())
})

test('RT-4 a client that requested deltas gets a list, then deltas, and a new list on request', async () => {
  const server = await startServer()
  const watcher = server.client({ auth: { channel: 'presence', deltas: true } })
  const [list, { version }] = await nextEvent<[string[], { version: number }]>(watcher, events.onlineUsers)
  expect(list).toContain(watcher.id)
  const deltas = collectSocketEvents<[{ from: number; version: number; joined: string[]; left: string[] }]>(
    watcher,
    events.onlineUsersDelta,
  )
  const other = await waitForConnect(server.client())
  const otherId = other.id
  await expect.poll(() => deltas.seen.flatMap(([{ joined }]) => joined)).toContain(otherId)
  other.close()
  await expect.poll(() => deltas.seen.flatMap(([{ left }]) => left)).toContain(otherId)
  expect(deltas.seen[0]?.[0].from).toBe(version)
  const fresh = nextEvent<[string[]]>(watcher, events.onlineUsers)
  watcher.emit(events.onlineUsersResync)
  expect((await fresh)[0]).toStrictEqual([watcher.id])
})

test('RT-5 a new client starts at the head and receives no earlier messages', async () => {
  const server = sharedServer()
  const alice = await waitForConnect(server.client())
  const { seq } = (await alice.emitWithAck(events.sendMessage, hello('old'))) as { seq: number }
  const late = server.client({ auth: { channel: 'messages' } })
  const received = collectSocketEvents<Received>(late, events.receiveMessage)
  const [cursor] = await nextEvent<[Cursor]>(late, events.cursor)
  expect(cursor.seq).toBe(seq)
  await alice.emitWithAck(events.sendMessage, hello('new'))
  expect((await received.atLeast(1)).map(([{ message }]) => message)).toStrictEqual(['new'])
})

test('DELIVERY-2 a repeated send with the same id returns the first seq and stores nothing; another text is a conflict', async () => {
  const server = sharedServer()
  const alice = await waitForConnect(server.client())
  const received = collectSocketEvents<Received>(alice, events.receiveMessage)
  const options = { id: randomUUID() }
  const first = (await alice.emitWithAck(events.sendMessage, hello(), options)) as SendAck
  expect(first).toMatchObject({ ok: true })
  expect(await alice.emitWithAck(events.sendMessage, hello(), options)).toStrictEqual(first)
  expect(await alice.emitWithAck(events.sendMessage, hello('other'), options)).toMatchObject({
    ok: false,
    code: 'id_conflict',
  })
  await alice.emitWithAck(events.sendMessage, hello('last'))
  expect((await received.atLeast(2)).map(([{ message }]) => message)).toStrictEqual(['hello', 'last'])
})

test('DELIVERY-2 a repeated send whose cursor is not in the log is rejected as expired', async () => {
  const server = sharedServer()
  const alice = await waitForConnect(server.client())
  const options = { id: randomUUID(), after: { epoch: 'another', seq: 3 } }
  expect(await alice.emitWithAck(events.sendMessage, hello(), options)).toMatchObject({ ok: false, code: 'expired' })
})

test('DELIVERY-3 a client that reconnects with a cursor receives every missed message once, then live messages', async () => {
  const server = await startServer({ MESSAGES_PER_SECOND: '0' })
  const alice = await waitForConnect(server.client())
  const bob = server.client({ auth: { channel: 'messages' } })
  const [cursor] = await nextEvent<[Cursor]>(bob, events.cursor)
  bob.close()
  for (let i = 0; i < 500; i++) void alice.emit(events.sendMessage, hello(`missed ${i}`))
  await alice.emitWithAck(events.sendMessage, hello('missed last'))
  for (const transport of ['websocket', 'polling']) {
    const back = server.client({ auth: { channel: 'messages', cursor }, transports: [transport] })
    const received = collectSocketEvents<Received>(back, events.receiveMessage)
    const [confirmed] = await nextEvent<[Cursor]>(back, events.cursor)
    expect(confirmed).toStrictEqual(cursor)
    await received.atLeast(1)
    await alice.emitWithAck(events.sendMessage, hello('live'))
    await expect.poll(() => received.seen.at(-1)?.[0].message).toBe('live')
    const seqs = received.seen.map(([, position]) => position.seq)
    expect(seqs).toStrictEqual(seqs.map((_, index) => cursor.seq + 1 + index))
    back.close()
  }
})

test('DELIVERY-4 a client with a cursor of another log is notified and receives every message of this log', async () => {
  const server = await startServer()
  const alice = server.client({ auth: { positions: true } })
  const [{ epoch }] = await nextEvent<[Cursor]>(alice, events.cursor)
  for (const text of ['one', 'two']) await alice.emitWithAck(events.sendMessage, hello(text))
  const back = server.client({ auth: { channel: 'messages', cursor: { epoch: 'another', seq: 5 } } })
  const received = collectSocketEvents<Received>(back, events.receiveMessage)
  expect((await nextEvent<[Cursor]>(back, events.cursor))[0]).toMatchObject({ epoch, seq: 0 })
  expect((await received.atLeast(2)).map(([{ message }]) => message)).toStrictEqual(['one', 'two'])
})

test('DELIVERY-4 a client that was away for longer than the retention is notified and receives every retained message', async () => {
  const server = await startServer({ MESSAGES_PER_SECOND: '0', RETENTION_MESSAGES: '10' })
  const alice = server.client({ auth: { positions: true } })
  const [cursor] = await nextEvent<[Cursor]>(alice, events.cursor)
  for (let count = 1; count <= 11; count++) await alice.emitWithAck(events.sendMessage, hello(`${count}`))
  const back = server.client({ auth: { channel: 'messages', cursor } })
  const received = collectSocketEvents<Received>(back, events.receiveMessage)
  expect((await nextEvent<[Cursor]>(back, events.cursor))[0]).toMatchObject({ epoch: cursor.epoch, seq: 1 })
  const texts = (await received.atLeast(10)).map(([{ message }]) => message)
  expect(texts).toStrictEqual(Array.from({ length: 10 }, (_, index) => `${index + 2}`))
})

test.each([
  ['malformed', 'nonsense'],
  ['beyond the head', (epoch: string) => ({ epoch, seq: 1_000_000 })],
])('DELIVERY-4 a client with a cursor that cannot be resumed (%s) continues at the head', async (_name, asked) => {
  const server = sharedServer()
  const alice = server.client({ auth: { positions: true } })
  const [{ epoch }] = await nextEvent<[Cursor]>(alice, events.cursor)
  const { seq } = (await alice.emitWithAck(events.sendMessage, hello())) as { seq: number }
  const cursor = typeof asked === 'function' ? asked(epoch) : asked
  const back = server.client({ auth: { channel: 'messages', cursor } })
  expect((await nextEvent<[Cursor]>(back, events.cursor))[0]).toMatchObject({ epoch, seq })
})

test('DELIVERY-4 resume replays from the given cursor', async () => {
  const server = sharedServer()
  const alice = server.client({ auth: { positions: true } })
  const [start] = await nextEvent<[Cursor]>(alice, events.cursor)
  const received = collectSocketEvents<Received>(alice, events.receiveMessage)
  for (const text of ['one', 'two', 'three']) await alice.emitWithAck(events.sendMessage, hello(text))
  await received.atLeast(3)
  const confirmed = nextEvent<[Cursor]>(alice, events.cursor)
  alice.emit(events.resume, { epoch: start.epoch, seq: start.seq + 1 })
  expect((await confirmed)[0].seq).toBe(start.seq + 1)
  expect((await received.atLeast(5)).slice(3).map(([{ message }]) => message)).toStrictEqual(['two', 'three'])
})

test('DELIVERY-1 after a restart the log keeps its epoch and seqs continue', async () => {
  const first = await startServer()
  const alice = first.client({ auth: { positions: true } })
  const [{ epoch }] = await nextEvent<[Cursor]>(alice, events.cursor)
  const { seq } = (await alice.emitWithAck(events.sendMessage, hello())) as { seq: number }
  await first.close()
  const second = await startServer({ DATA_DIR: first.dataDir })
  const back = second.client({ auth: { channel: 'messages', cursor: { epoch, seq: seq - 1 } } })
  expect((await nextEvent<Received>(back, events.receiveMessage))[1]).toMatchObject({ epoch, seq })
  expect(await back.emitWithAck(events.sendMessage, hello())).toStrictEqual({ ok: true, seq: seq + 1 })
})
