import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { maxCreatedTimeMs, maxFrameBytes, maxMessageCharacters, maxNameCharacters } from '../../contract/limits.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { collectSocketEvents, nextEvent, waitForConnect } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

const validMessage: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1_700_000_000_000 }

let server: TestServer
let sender: Awaited<ReturnType<typeof waitForConnect>>
let broadcasts: ChatMessage[]

beforeAll(async () => {
  let clean = async () => undefined as void
  server = await startServer({ MESSAGES_PER_SECOND: '0' }, { whenDone: (done) => (clean = done) })
  sender = await waitForConnect(server.client())
  const observer = server.client({ auth: { channel: 'messages' } })
  broadcasts = []
  observer.on(events.receiveMessage, (message: ChatMessage) => broadcasts.push(message))
  await nextEvent(observer, events.cursor)
  return clean
})

/** Returns all broadcasts since the last call. Waits for a marker message, so that the result is complete. */
async function broadcastSince(): Promise<ChatMessage[]> {
  const last = `the end ${randomUUID()}`
  expect(await sender.emitWithAck(events.sendMessage, { ...validMessage, message: last })).toMatchObject({ ok: true })
  await expect.poll(() => broadcasts.at(-1)?.message).toBe(last)
  return broadcasts.splice(0).slice(0, -1)
}

async function sendRejected(...args: unknown[]): Promise<SendAck> {
  const ack = (await sender.timeout(10_000).emitWithAck(events.sendMessage, ...args)) as SendAck
  expect(await broadcastSince()).toStrictEqual([])
  return ack
}
const rejectionWith = (code: string) => ({ ok: false, code, message: expect.stringMatching(/\.$/) })

test.each<[string, unknown[]]>([
  ['nothing at all', []],
  ['null', [null]],
  ['a number', [5]],
  ['a text', ['hello']],
  ['true', [true]],
  ['an empty list', [[]]],
  ['a list with a message', [[validMessage]]],
  ['an empty object', [{}]],
  ['no username', [{ message: 'hello', createdTime: 1 }]],
  ['no message', [{ username: 'alice', createdTime: 1 }]],
  ['no createdTime', [{ username: 'alice', message: 'hello' }]],
  ['a number for a username', [{ ...validMessage, username: 5 }]],
  ['null for a username', [{ ...validMessage, username: null }]],
  ['a list for a username', [{ ...validMessage, username: ['alice'] }]],
  ['an object for a message', [{ ...validMessage, message: { toString: 'hello' } }]],
  ['a number for a message', [{ ...validMessage, message: 5 }]],
  ['bytes for a message', [{ ...validMessage, message: Buffer.from('hello') }]],
  ['bytes for the whole payload', [Buffer.from(JSON.stringify(validMessage))]],
  ['a text for createdTime', [{ ...validMessage, createdTime: '1700000000000' }]],
  ['a negative createdTime', [{ ...validMessage, createdTime: -1 }]],
  ['a fraction of a millisecond', [{ ...validMessage, createdTime: 1.5 }]],
  ['NaN for createdTime', [{ ...validMessage, createdTime: Number.NaN }]],
  ['a createdTime over the maximum date', [{ ...validMessage, createdTime: maxCreatedTimeMs + 1 }]],
  ['an empty message', [{ ...validMessage, message: '' }]],
  ['a message of white space', [{ ...validMessage, message: ' \t\n\u00a0\u3000' }]],
  ['an empty username', [{ ...validMessage, username: '' }]],
  ['a username of white space', [{ ...validMessage, username: ' \t\n\u00a0\u3000' }]],
  ['a lone surrogate', [{ ...validMessage, message: 'a\ud800b' }]],
  ['a text for options', [validMessage, randomUUID()]],
  ['options without an id', [validMessage, {}]],
  ['a number for an id', [validMessage, { id: 5 }]],
  ['an id that is no UUID', [validMessage, { id: randomUUID().replaceAll('-', '') }]],
  ['an id with a trailing space', [validMessage, { id: `${randomUUID()} ` }]],
  ['a number for after', [validMessage, { id: randomUUID(), after: 5 }]],
  ['after without a seq', [validMessage, { id: randomUUID(), after: { epoch: 'e' } }]],
  ['after with a negative seq', [validMessage, { id: randomUUID(), after: { epoch: 'e', seq: -1 } }]],
])('SEND-1 RT-2 a send with %s is rejected as invalid and not broadcast', async (_name, args) => {
  expect(await sendRejected(...args)).toStrictEqual(rejectionWith('invalid'))
})

test.each([
  ['message', 'a', maxMessageCharacters],
  ['message', '😀', maxMessageCharacters],
  ['username', 'a', maxNameCharacters],
  ['username', '😀', maxNameCharacters],
])(
  'RT-2 a %s of the maximum length in %j is accepted and one character more is rejected',
  async (field, character, limit) => {
    const longest = { ...validMessage, [field]: character.repeat(limit) }
    expect(await sender.emitWithAck(events.sendMessage, longest)).toMatchObject({ ok: true })
    expect(await broadcastSince()).toStrictEqual([{ ...longest, username: `${longest.username} (not loggedin)` }])
    expect(await sendRejected({ ...validMessage, [field]: character.repeat(limit + 1) })).toStrictEqual(
      rejectionWith('too_long'),
    )
  },
)

test('RT-3 unknown keys are dropped and the broadcast has exactly the three fields', async () => {
  const more = { html: '<b>', seq: 1, id: 'x', constructor: 'y', message2: 'z' }
  expect(await sender.emitWithAck(events.sendMessage, { ...validMessage, ...more })).toMatchObject({ ok: true })
  const options = { id: randomUUID(), role: 'admin' }
  expect(await sender.emitWithAck(events.sendMessage, validMessage, options, 'further')).toMatchObject({ ok: true })
  const shown = { ...validMessage, username: 'alice (not loggedin)' }
  expect(await broadcastSince()).toStrictEqual([shown, shown])
})

test('SEND-3 the smallest and the largest valid createdTime are broadcast unchanged', async () => {
  for (const createdTime of [0, maxCreatedTimeMs]) {
    expect(await sender.emitWithAck(events.sendMessage, { ...validMessage, createdTime })).toMatchObject({ ok: true })
  }
  expect((await broadcastSince()).map(({ createdTime }) => createdTime)).toStrictEqual([0, maxCreatedTimeMs])
})

test('RT-2 without an ack callback a valid message is broadcast and an invalid one is dropped without a response', async () => {
  for (const args of [[], [null], [{ ...validMessage, message: ' ' }], [validMessage, { id: 'x' }], [validMessage]]) {
    sender.emit(events.sendMessage, ...args)
  }
  expect(await broadcastSince()).toStrictEqual([{ ...validMessage, username: 'alice (not loggedin)' }])
})

test('DELIVERY-2 every ack is called exactly once, whether the message is stored or rejected', async () => {
  const raw = await openRawConnection(server.url)
  await raw.connect()
  const emit = (ackId: number, ...args: unknown[]) => raw.send(`42${ackId}${JSON.stringify(args)}`)
  emit(0, events.sendMessage, validMessage)
  emit(1, events.sendMessage, null)
  emit(2, 'no-such-event')
  emit(3, events.sendMessage)
  emit(4, events.sendMessage, { ...validMessage, message: 'x'.repeat(maxMessageCharacters + 1) })
  await raw.waitForPacket('430')
  await broadcastSince()
  const acks = raw.packets.filter((packet) => packet.startsWith('43')).toSorted()
  expect(acks.map((packet) => packet.slice(0, 3))).toStrictEqual(['430', '431', '432', '433', '434'])
  raw.close()
})

test.each([
  'no-such-event',
  '__proto__',
  'constructor',
  'toString',
  '',
  'message',
  events.receiveMessage,
  events.cursor,
])('RT-2 an unknown event (%j) is rejected when it has an ack callback and ignored otherwise', async (event) => {
  sender.emit(event, validMessage)
  expect(await sender.timeout(10_000).emitWithAck(event, validMessage)).toStrictEqual(rejectionWith('invalid'))
  expect(await broadcastSince()).toStrictEqual([])
})

test('RT-2 the event `error` and events with numeric names do not affect the connection', async () => {
  const raw = await openRawConnection(server.url)
  await raw.connect()
  for (const packet of ['42["error",{"message":"boom"}]', '42["error"]', '42[5,{}]', '42["send_message"]'])
    raw.send(packet)
  raw.send(`420${JSON.stringify([events.sendMessage, validMessage])}`)
  expect(await raw.waitForPacket('430')).toContain('"ok":true')
  expect(await broadcastSince()).toHaveLength(1)
  raw.close()
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['a text', 'x'],
  ['an empty object', {}],
  ['a negative seq', { epoch: 'e', seq: -1 }],
])('DELIVERY-4 resume with %s is rejected and does not change the position of the client', async (_name, cursor) => {
  const client = server.client({ auth: { channel: 'messages' } })
  const [head] = await nextEvent<[Cursor]>(client, events.cursor)
  const cursors = collectSocketEvents<[Cursor]>(client, events.cursor)
  expect(await client.emitWithAck(events.resume, cursor)).toStrictEqual({
    ok: false,
    code: 'invalid',
    message: 'resume needs a cursor { epoch, seq }. The position has not changed.',
  })
  client.emit(events.resume, head)
  expect((await cursors.atLeast(1)).map(([cursor]) => cursor)).toStrictEqual([head])
  client.close()
})

test.each([
  ['a packet before CONNECT', '42["send_message",{"username":"a","message":"b","createdTime":1}]', ''],
  ['broken JSON', '42["send_message",{"username":', 'first'],
  ['an event that is no list', '42{"send_message":1}', 'first'],
  ['an event without a name', '42[]', 'first'],
  ['a reserved event', '42["disconnect"]', 'first'],
  ['a packet of an unknown type', '49', 'first'],
  ['a frame that is no packet', 'garbage', 'first'],
  ['a broken attachment count', '45-["send_message",{"_placeholder":true,"num":0}]', 'first'],
  ['text in place of an attachment', '451-["send_message",{"_placeholder":true,"num":0}]', 'then'],
  ['an unannounced attachment', Buffer.from('hello'), 'first'],
  ['a connect packet with a list', '40[]', ''],
  ['a connect packet with broken JSON', '40{"token":', ''],
])('SECURITY-6 the server closes a connection that sends %s and keeps running', async (_name, packet, when) => {
  const raw = await openRawConnection(server.url)
  if (when !== '') await raw.connect()
  raw.send(packet)
  if (when === 'then') raw.send('42["send_message"]')
  expect(await raw.ended).toBeGreaterThanOrEqual(1_000)
  expect(await broadcastSince()).toStrictEqual([])
})

test.each(['websocket', 'polling'])(
  'RT-6 a frame over 64 KiB over %s closes the connection and the client reconnects',
  async (transport) => {
    const client = await waitForConnect(server.client({ transports: [transport], reconnectionDelay: 10 }))
    const gone = nextEvent<[string]>(client, 'disconnect')
    client.emit(events.sendMessage, { ...validMessage, message: 'x'.repeat(maxFrameBytes) })
    expect((await gone)[0]).toMatch(/^transport (close|error)$/)
    await waitForConnect(client)
    expect(await client.emitWithAck(events.sendMessage, validMessage)).toMatchObject({ ok: true })
    expect(await broadcastSince()).toHaveLength(1)
    client.close()
  },
)

test('SECURITY-6 malformed polling requests are rejected or close only their own session', async () => {
  const address = `${server.url}/socket.io/?EIO=4&transport=polling`
  const post = (sid: string, body: string) => fetch(`${address}&sid=${sid}`, { method: 'POST', body })
  expect((await post('unknown', '40')).status).toBe(400)
  for (const query of ['EIO=3&transport=polling', 'EIO=4&transport=carrier-pigeon', 'EIO=4', '']) {
    expect((await fetch(`${server.url}/socket.io/?${query}`)).status).toBe(400)
  }
  for (const body of ['garbage', '\x1e\x1e', '42["send_message",{}]', 'b!!!', '40\x1e42{']) {
    const { sid } = JSON.parse((await (await fetch(address)).text()).slice(1)) as { sid: string }
    await post(sid, body)
    const closePacketOrUnknown = /1$|"code":1/
    expect(await (await fetch(`${address}&sid=${sid}`)).text()).toMatch(closePacketOrUnknown)
  }
  expect(await broadcastSince()).toStrictEqual([])
})

test('SECURITY-6 a connection to any other namespace is rejected', async () => {
  const client = server.client()
  const otherNamespace = client.io.socket('/other')
  const [error] = await nextEvent<[Error]>(otherNamespace, 'connect_error')
  expect(error.message).toBe('Invalid namespace')
  client.close()
})
