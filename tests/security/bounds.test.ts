import { once } from 'node:events'
import { expect, test } from 'vitest'
import { maxUnreadReplies } from '../../server/transport/fast-path/polling-responses.ts'
import { maxWaitingCharacters } from '../../server/transport/sockets/bounded-decoder.ts'
import { openRawPolling } from '../delivery/raw-polling.ts'
import { shareServer } from '../support/shared-server.ts'
import { startServer } from '../support/start-server.ts'
import { encodeFrame, opcodes, openRawWebSocket } from './web-socket-frames.ts'

const hello = { username: 'a', message: 'hello', createdTime: 1 }

const sharedServer = shareServer()

test('BOUNDS-1 a packet that announces two attachments closes its connection', async () => {
  const { socket, ended } = await openRawWebSocket(sharedServer().url)
  socket.write(encodeFrame(opcodes.text, '452-["send_message",{"_placeholder":true,"num":0}]'))
  await ended
})

test('BOUNDS-1 a message with binary data is rejected and its connection stays open', async () => {
  const server = sharedServer()
  const client = server.client()
  const ack: unknown = await client.emitWithAck('send_message', { ...hello, message: Buffer.from('hello') })
  expect(ack).toMatchObject({ ok: false, code: 'invalid' })
  expect(await client.emitWithAck('send_message', hello)).toMatchObject({ ok: true })
})

test.each([
  [
    'an event that waits for its attachment',
    (filler: string) => `451-["send_message",{"_placeholder":true,"num":0}${filler}]`,
  ],
  ['a second handshake', (filler: string) => `40/other,{"a":[0${filler}]}`],
])('BOUNDS-1 %s over the size limit closes its connection', async (_name, packetWith) => {
  const { socket, ended } = await openRawWebSocket(sharedServer().url)
  socket.write(encodeFrame(opcodes.text, packetWith(',{}'.repeat(maxWaitingCharacters / 3))))
  await ended
})

test('BOUNDS-2 a short unknown namespace is returned in the error, and a long one closes the connection', async () => {
  const { socket, received, ended } = await openRawWebSocket(sharedServer().url)
  socket.write(encodeFrame(opcodes.text, '40/other,'))
  await received('44/other,')
  socket.write(encodeFrame(opcodes.text, `40/${'x'.repeat(60_000)},`))
  await ended
  expect(socket.received()).not.toContain('xxx')
})

test('BOUNDS-3 a client that sends without reading is closed, also in an idle room', async () => {
  const server = await startServer({ MESSAGES_PER_SECOND: '1000000', MESSAGES_PER_SECOND_PER_IP: '0' })
  const { socket, ended } = await openRawWebSocket(server.url)
  socket.pause()
  const event = encodeFrame(opcodes.text, '427["no such event"]')
  const burst = Buffer.concat(Array.from({ length: 2_000 }, () => event))
  let isOver = false
  // A paused socket emits no event when the server closes the connection. A failed write then emits an error.
  socket.on('error', () => (isOver = true))
  void ended.then(() => (isOver = true))
  const deadline = performance.now() + 50_000
  // The socket drains while the server reads. When the server no longer reads, another write shows whether the
  // connection is closed.
  while (!isOver && performance.now() < deadline) {
    if (socket.write(burst)) continue
    await once(socket, 'drain', { signal: AbortSignal.timeout(500) }).catch(() => undefined)
  }
  expect(isOver).toBe(true)
})

test('BOUNDS-3 a polling client that sends without polling is closed', async () => {
  const { url } = await startServer({ MESSAGES_PER_SECOND: '1000000', MESSAGES_PER_SECOND_PER_IP: '0' })
  const poller = await openRawPolling(url, { channel: 'messages' })
  await poller.poll()
  const sent = Array.from({ length: 100 }, () => '427["no such event"]').join('\x1e')
  let posts = 0
  while ((await poller.post(sent)).ok) expect(++posts).toBeLessThan(20)
  // The server accepts the request during which it closes the connection.
  expect(posts).toBe(maxUnreadReplies / 100 + 1)
})
