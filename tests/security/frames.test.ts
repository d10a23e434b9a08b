import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { maxPacketsPerPayload } from '../../server/transport/fast-path/polling-payload.ts'
import { maxFragments } from '../../server/transport/sockets/web-socket-engine.ts'
import { maxBodyChunks } from '../../server/transport/http/protection/body-chunks.ts'
import { requestTimeoutMs } from '../../server/transport/http/http-server.ts'
import { shareServer } from '../support/shared-server.ts'
import { openTcp, statusOf } from './raw-http.ts'
import { encodeFrame, opcodes, openRawWebSocket, upgradeRequest, webSocketPath } from './web-socket-frames.ts'

const sharedServer = shareServer()

const polling = '/socket.io/?EIO=4&transport=polling'
/** Number of frames that exceeds both the burst limit of a connection and ten seconds at its rate. */
const flood = 10_000
const hello = '["send_message",{"username":"a","message":"hello","createdTime":1}]'

async function pollingSession(url: string): Promise<string> {
  const opened = await (await fetch(url + polling)).text()
  return (JSON.parse(opened.slice(1)) as { sid: string }).sid
}

test('EDGE-4 a ping gets a pong with its payload', async () => {
  const { socket, received } = await openRawWebSocket(sharedServer().url)
  socket.write(encodeFrame(opcodes.ping, 'ping payload.'))
  await received('\x8a\x0dping payload.')
})

test.each(['ping', 'pong'] as const)('EDGE-4 a flood of %s frames closes its connection', async (kind) => {
  const { socket, ended } = await openRawWebSocket(sharedServer().url)
  const frame = encodeFrame(opcodes[kind])
  socket.write(Buffer.concat(Array.from({ length: flood }, () => frame)))
  await ended
})

test('EDGE-4 a flood of packets over either transport closes its connection', async () => {
  const { url } = sharedServer()
  const { socket, ended } = await openRawWebSocket(url)
  const frame = encodeFrame(opcodes.text, '3')
  socket.write(Buffer.concat(Array.from({ length: flood }, () => frame)))
  await ended

  const sid = await pollingSession(url)
  const post = (body: string) => fetch(`${url}${polling}&sid=${sid}`, { method: 'POST', body })
  expect((await post('40')).status).toBe(200)
  await post(Array.from({ length: flood }, () => '3').join('\x1e')).catch(() => undefined)
  expect((await post('3')).status).toBe(400)
})

test('EDGE-4 probes on a transport that has not upgraded count towards the limit', async () => {
  const { url } = sharedServer()
  const sid = await pollingSession(url)
  const socket = await openTcp(url)
  socket.write(upgradeRequest(`${webSocketPath}&sid=${sid}`))
  await new Promise((resolve) => socket.once('data', resolve))
  const probe = encodeFrame(opcodes.text, '2probe')
  socket.write(Buffer.concat(Array.from({ length: flood }, () => probe)))
  await socket.ended
})

/** Splits a payload into `count` frames. */
function inFragments(payload: string, count: number): Buffer {
  const size = Math.ceil(payload.length / count)
  const frames = Array.from({ length: count }, (_, i) =>
    encodeFrame(i === 0 ? opcodes.text : opcodes.continuation, payload.slice(i * size, (i + 1) * size), {
      isFinal: i === count - 1,
    }),
  )
  return Buffer.concat(frames)
}

test('EDGE-17 a message in a few fragments is accepted, and one in thousands of fragments closes its connection', async () => {
  const { url } = sharedServer()
  const { socket, received, ended } = await openRawWebSocket(url)
  socket.write(inFragments(`427${hello}`, 10))
  await received('437[{"ok":true')
  for (let i = 0; i <= maxFragments; i++) {
    socket.write(encodeFrame(i === 0 ? opcodes.text : opcodes.continuation, 'x', { isFinal: false }))
  }
  await ended
})

test('EDGE-17 empty fragments count towards the limit', async () => {
  const { socket, ended } = await openRawWebSocket(sharedServer().url)
  for (let i = 0; i <= maxFragments; i++) {
    socket.write(encodeFrame(i === 0 ? opcodes.text : opcodes.continuation, '', { isFinal: false }))
  }
  await ended
})

test('EDGE-17 a frame sent byte by byte closes its connection before it is complete', async () => {
  const { socket, ended } = await openRawWebSocket(sharedServer().url)
  socket.setNoDelay(true)
  let isOver = false
  void ended.then(() => (isOver = true))
  socket.write(encodeFrame(opcodes.text, '', { length: 60_000 }))
  let written = 0
  for (; written < 59_999 && !isOver; written++) {
    socket.write('x')
    await nextTurn()
  }
  await ended
  expect(written).toBeLessThan(59_999)
})

test('EDGE-4 a payload of thousands of packets is not parsed and closes its connection', async () => {
  const { url } = sharedServer()
  const sid = await pollingSession(url)
  const post = (body: string) => fetch(`${url}${polling}&sid=${sid}`, { method: 'POST', body })
  expect((await post('40')).status).toBe(200)
  await post(Array.from({ length: maxPacketsPerPayload + 1 }, () => '3').join('\x1e')).catch(() => undefined)
  expect((await post('3')).status).toBe(400)
})

test.each([
  ['a polling payload', (sid: string) => `${polling}&sid=${sid}`],
  ['a call', () => '/login'],
])('EDGE-17 %s in chunks of one byte closes its connection', async (_name, pathFor) => {
  const { url } = sharedServer()
  const path = pathFor(await pollingSession(url))
  const socket = await openTcp(url)
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
  socket.write(head + '1\r\nx\r\n'.repeat(maxBodyChunks(0, requestTimeoutMs) + 1))
  expect(statusOf(await socket.ended)).toBeNaN()
})
