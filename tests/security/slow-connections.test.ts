import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { events } from '../../contract/events.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'
import { openTcp, statusOf } from './raw-http.ts'
import { upgradeRequest } from './web-socket-frames.ts'

const hello = { username: 'alice', message: 'hello', createdTime: 1 }
/** Kinds of slow connections with the expected response and time. Node checks for timeouts every two seconds. */
const kinds = [
  { begin: 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', status: 408, afterMs: 10_000 },
  { begin: upgradeRequest().slice(0, -2) + 'X-Slow: ', status: 408, afterMs: 10_000 },
  {
    begin: 'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{',
    status: 408,
    afterMs: 20_000,
  },
  { begin: '', status: 400, afterMs: 0 },
] as const
/** Tolerance for the check interval and for a busy machine. */
const graceMs = 10_000

type SlowConnection = Awaited<ReturnType<typeof openTcp>>

/** Opens connections of each kind in turn. After its start, each connection sends one byte a second. */
async function openSlowConnections(url: string, count: number): Promise<SlowConnection[]> {
  const sockets: SlowConnection[] = []
  for (let i = 0; i < count; i++) {
    const socket = await openTcp(url)
    socket.write(kinds[i % kinds.length]?.begin ?? '')
    sockets.push(socket)
  }
  const drip = () => {
    for (const socket of sockets) if (socket.writable) socket.write('x')
  }
  // Write after the input was read: writing to a connection that the server has closed would discard its response.
  const dripping = setInterval(() => setImmediate(drip), 1_000)
  onTestFinished(() => clearInterval(dripping))
  return sockets
}

test('SECURITY-5 500 slow connections do not prevent a new client from chatting, and are rejected in time', async () => {
  const server = await startServer()
  const openedAt = performance.now()
  const slow = await openSlowConnections(server.url, 500)
  const took = slow.map(async ({ ended }) => {
    const response = await ended
    return { response, afterMs: performance.now() - openedAt }
  })
  const openMs = performance.now() - openedAt
  const visitor = await waitForConnect(server.client())
  expect(await visitor.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
  expect((await fetch(server.url)).status).toBe(200)
  for (const [i, { response, afterMs }] of (await Promise.all(took)).entries()) {
    const kind = kinds[i % kinds.length] ?? kinds[0]
    expect(statusOf(response), kind.begin).toBe(kind.status)
    expect(afterMs, kind.begin).toBeGreaterThan(kind.afterMs * 0.95)
    expect(afterMs, kind.begin).toBeLessThan(openMs + kind.afterMs + graceMs)
  }
  expect(await visitor.emitWithAck(events.sendMessage, hello)).toMatchObject({ ok: true })
})

test('SECURITY-5 a connection without any byte is closed after ten seconds', async () => {
  const server = await startServer()
  const openedAt = performance.now()
  const response = await (await openTcp(server.url)).ended
  expect(statusOf(response)).toBe(408)
  expect(performance.now() - openedAt).toBeLessThan(10_000 + graceMs)
})

test('SECURITY-5 a connection that responds to pings but never joins the room is closed after ten seconds', async () => {
  const server = await startServer()
  const openedAt = performance.now()
  const webSocket = new WebSocket(`${server.url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`)
  onTestFinished(() => webSocket.terminate())
  webSocket.on('message', (data: Buffer) => {
    if (data.toString() === '2') webSocket.send('3')
  })
  await new Promise((resolve) => webSocket.once('close', resolve))
  const afterMs = performance.now() - openedAt
  expect(afterMs).toBeGreaterThan(9_500)
  expect(afterMs).toBeLessThan(10_000 + graceMs)
})
