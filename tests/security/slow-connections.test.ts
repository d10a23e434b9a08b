import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { events } from '../../contract/events.ts'
import { connected } from '../server/listening.ts'
import { startServer } from '../server/start-server.ts'
import { openTcp, statusOf } from './raw-http.ts'

const hello = { username: 'alice', message: 'hello', createdTime: 1 }
const slowRequests = [
  'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{',
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nX-Slow: ',
  '\r\n',
]

type SlowConnection = Awaited<ReturnType<typeof openTcp>>

/** Connections that send one byte a second, from now on. */
async function openSlowConnections(url: string, count: number): Promise<SlowConnection[]> {
  const sockets: SlowConnection[] = []
  for (let i = 0; i < count; i++) {
    const socket = await openTcp(url)
    socket.write(slowRequests[i % slowRequests.length] ?? '')
    sockets.push(socket)
  }
  const dripping = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }, 1_000)
  onTestFinished(() => clearInterval(dripping))
  return sockets
}

test('SECURITY-5 500 slow connections do not keep a new visitor from chatting, and are ended', async () => {
  const server = await startServer()
  const slow = await openSlowConnections(server.url, 500)
  const openedAt = performance.now()
  const visitor = await connected(server.client())
  expect(await visitor.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  expect((await fetch(server.url)).status).toBe(200)
  await slow[0]?.ended
  // Headers have ten seconds. Node by itself looks for late ones every thirty only.
  expect(performance.now() - openedAt).toBeLessThan(25_000)
  const answers = await Promise.all(slow.map(({ ended }) => ended))
  expect(new Set(answers.map(statusOf))).toStrictEqual(new Set([400, 408]))
  expect(await visitor.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
})

test('SECURITY-5 a connection that answers every ping and never joins the room is ended', async () => {
  const server = await startServer()
  const webSocket = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
  onTestFinished(() => webSocket.terminate())
  webSocket.on('message', (data: Buffer) => {
    if (data.toString() === '2') webSocket.send('3')
  })
  await new Promise((resolve) => webSocket.once('close', resolve))
})
