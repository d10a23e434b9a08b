import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, SendAck } from '../../contract/messages.ts'
import { waitForConnect, collectSocketEvents } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'
import { openTcp } from './raw-http.ts'

const hello: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

const sharedServer = shareServer()

/** Connects a client that collects every broadcast until the test ends. */
async function startWithObserver(server = sharedServer()) {
  const observer = await waitForConnect(server.client())
  onTestFinished(() => void observer.close())
  const received = collectSocketEvents<[ChatMessage]>(observer, events.receiveMessage)
  /** Returns all broadcasts. Waits for a marker message, so that the result is complete. */
  async function broadcasts(): Promise<ChatMessage[]> {
    const last = `the last ${randomUUID()}`
    expect(await observer.emitWithAck(events.sendMessage, { ...hello, message: last })).toMatchObject({ ok: true })
    await expect.poll(() => received.seen.at(-1)?.[0].message).toBe(last)
    return received.seen.slice(0, -1).map(([message]) => message)
  }
  return { server, observer, broadcasts }
}

test.each([
  [
    'prototype keys',
    '{"username":"a","message":"b","createdTime":1,"__proto__":{"x":1},"constructor":{"prototype":{}}}',
  ],
  ['unknown keys', '{"username":"a","message":"b","createdTime":1,"admin":true,"toJSON":1,"hasOwnProperty":1}'],
])('SECURITY-6 %s are dropped: the broadcast has three fields and no object is changed', async (_name, payload) => {
  const { server, broadcasts } = await startWithObserver()
  const raw = await openRawConnection(server.url)
  await raw.connect()
  raw.send(`420["send_message",${payload}]`)
  expect(await raw.waitForPacket('430')).toContain('"ok":true')
  expect(await broadcasts()).toStrictEqual([{ username: 'a (not loggedin)', message: 'b', createdTime: 1 }])
  expect(({} as Record<string, unknown>)['x']).toBeUndefined()
  raw.close()
})

test.each([
  ['a username from the prototype', '{"__proto__":{"username":"a"},"message":"b","createdTime":1}'],
  ['deep nesting for a message', `{"username":"a","message":${deep(15_000)},"createdTime":1}`],
  ['deep nesting for it all', deep(30_000)],
  ['a huge list for a username', `{"username":[${'0,'.repeat(30_000)}0],"message":"b","createdTime":1}`],
  ['a huge number', '{"username":"a","message":"b","createdTime":1e400}'],
  ['minus nothing', '{"username":"a","message":"b","createdTime":-0.5}'],
  ['a lone surrogate in the message', '{"username":"a","message":"\\ud800","createdTime":1}'],
])('SECURITY-6 %s is rejected', async (_name, payload) => {
  const { server, broadcasts } = await startWithObserver()
  const raw = await openRawConnection(server.url)
  await raw.connect()
  raw.send(`420["send_message",${payload}]`)
  expect(await raw.waitForPacket('430')).toContain('"code":"invalid"')
  expect(await broadcasts()).toStrictEqual([])
  raw.close()
})

test('SECURITY-6 thousands of arguments and acks with invalid ids have no effect', async () => {
  const { server, broadcasts } = await startWithObserver()
  const raw = await openRawConnection(server.url)
  await raw.connect()
  raw.send(`420["send_message",${JSON.stringify(hello)}${',0'.repeat(25_000)}]`)
  expect(await raw.waitForPacket('430')).toContain('"ok":false')
  raw.send(`42${'9'.repeat(400)}["send_message",${JSON.stringify(hello)}]`)
  raw.send(`431[${JSON.stringify(hello)}]`)
  raw.send(`421["send_message",${JSON.stringify({ ...hello, message: 'fine' })}]`)
  expect(await raw.waitForPacket('431')).toContain('"ok":true')
  expect((await broadcasts()).map(({ message }) => message)).toStrictEqual(['hello', 'fine'])
  raw.close()
})

test('SECURITY-6 a lone surrogate in a name is removed and the broadcast is valid text', async () => {
  const { server, broadcasts } = await startWithObserver()
  const raw = await openRawConnection(server.url)
  await raw.connect()
  raw.send('420["send_message",{"username":"bo\\udc00b","message":"hi","createdTime":1}]')
  await raw.waitForPacket('430')
  expect(await broadcasts()).toStrictEqual([{ username: 'bob (not loggedin)', message: 'hi', createdTime: 1 }])
  raw.close()
})

test.each([
  ['bytes for a message', { ...hello, message: Buffer.from('hi') }],
  ['bytes for the whole payload', Buffer.from('hi')],
  ['bytes for a username', { ...hello, username: new Uint8Array(4) }],
])('SECURITY-6 %s are rejected', async (_name, payload) => {
  const { server, broadcasts } = await startWithObserver()
  const client = await waitForConnect(server.client())
  expect(await client.emitWithAck(events.sendMessage, payload)).toMatchObject({ ok: false, code: 'invalid' })
  expect(await broadcasts()).toStrictEqual([])
})

test.each([
  ['a second connect on one connection', ['40', '40']],
  ['many connects at once', Array<string>(1_000).fill('40')],
  ['eleven attachments', ['40', '4511-["send_message",{"_placeholder":true,"num":0}]']],
  [
    'a placeholder for an attachment that is not there',
    ['40', '451-["x",{"_placeholder":true,"num":9}]', Buffer.from('a')],
  ],
  ['an engine packet of an unknown type', ['40', '9']],
  ['a ping, which only the server may send', ['40', '2']],
])('SECURITY-6 %s closes only its own connection', async (_name, packets) => {
  const { server, observer, broadcasts } = await startWithObserver()
  const raw = await openRawConnection(server.url)
  for (const packet of packets) raw.send(packet)
  await raw.ended
  expect(await broadcasts()).toStrictEqual([])
  expect(observer.connected).toBe(true)
})

test('SECURITY-6 a connection that sends CONNECT repeatedly is listed once', async () => {
  const { server, observer } = await startWithObserver(await startServer())
  const lists = collectSocketEvents<[string[]]>(observer, events.onlineUsers)
  const socket = await openTcp(server.url)
  socket.write(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  await expect.poll(() => socket.received()).toContain('"sid"')
  // Send all packets in one write, so that the server reads the last packet before it responds to the first.
  const connectFrame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x34, 0x30])
  socket.write(Buffer.concat(Array<Buffer>(200).fill(connectFrame)))
  await socket.ended
  const another = await waitForConnect(server.client())
  await expect.poll(() => lists.seen.at(-1)?.[0]).toStrictEqual([observer.id, another.id])
  expect(Math.max(...lists.seen.map(([ids]) => ids.length))).toBeLessThanOrEqual(3)
})

test('SECURITY-6 a used message id is rejected for another message of any client', async () => {
  const { server, broadcasts } = await startWithObserver()
  const [alice, mallory] = [await waitForConnect(server.client()), await waitForConnect(server.client())]
  const options = { id: randomUUID() }
  const send = (client: typeof alice, message: ChatMessage) =>
    client.emitWithAck(events.sendMessage, message, options) as Promise<SendAck>
  expect(await send(alice, hello)).toMatchObject({ ok: true })
  for (const change of [{ message: 'other' }, { createdTime: 2 }]) {
    expect(await send(mallory, { ...hello, ...change })).toMatchObject({ ok: false, code: 'id_conflict' })
  }
  expect((await broadcasts()).map(({ message }) => message)).toStrictEqual(['hello'])
})

test.each([
  ['prototype keys', '{"name":"x","email":"a@b.c","password":"p","__proto__":{"x":1}}'],
  ['a constructor', '{"name":"x","email":"a@b.c","password":"p","constructor":{"prototype":{"x":1}}}'],
  ['deep nesting', `{"name":${deep(7_000)},"email":"a@b.c","password":"p"}`],
  ['a huge list', `{"name":[${'0,'.repeat(7_000)}0],"email":"a@b.c","password":"p"}`],
  ['lone surrogates in a name', '{"name":"a\\ud800","email":"a@b.c","password":"p"}'],
  ['doubled keys of other types', '{"name":"x","name":["y"],"email":"a@b.c","password":"p"}'],
])('SECURITY-6 a registration with %s gets 400', async (_name, body) => {
  const response = await sharedServer().call('/register', body)
  expect([response.status, await response.json()]).toStrictEqual([
    400,
    { code: 'invalid', message: expect.any(String) },
  ])
  expect(({} as Record<string, unknown>)['x']).toBeUndefined()
})
