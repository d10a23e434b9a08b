import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { waitForConnect } from '../support/socket-events.ts'
import { startBehindProxy } from './from-address.ts'

const connections = 100
/** Number of connections that the server must close. On a busy machine the flood takes a while to reach this number. */
const minClosed = 150
const maxFloodMs = 40_000
const attacker = '203.0.113.9'

/** One request of each kind. Each connection repeats one kind and keeps seven requests outstanding. */
const requests: Readonly<Record<string, string>> = {
  'a probe': get('/healthz'),
  'an unknown path': get('/nowhere'),
  'a rejected handshake': get('/socket.io/?EIO=4&transport=polling'),
  'an invalid registration': post('/register', JSON.stringify({ name: 'x'.repeat(13_000) })),
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${attacker}\r\n\r\n`
}

function post(path: string, body: string): string {
  const type = 'Content-Type: application/json\r\n'
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${attacker}\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * Sends requests on all connections and reopens each that is closed. Counts the responses and the closed connections.
 */
function flood(url: string) {
  const counts = { served: 0, rejected: 0, ended: 0 }
  const bytes = Object.values(requests)
  let isStopped = false
  const open = (index: number) => {
    if (isStopped) return
    const request = bytes[index % bytes.length] ?? ''
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined)
    socket.on('connect', () => socket.write(request.repeat(7))).setEncoding('latin1')
    socket.on('data', (text: string) => {
      const responses = text.split('HTTP/1.1 ').slice(1)
      const isRejected = (response: string) => response.startsWith('429 ')
      const rejected = responses.filter(isRejected).length
      counts.rejected += rejected
      counts.served += responses.length - rejected
      if (!socket.destroyed) socket.write(request.repeat(responses.length))
    })
    socket.once('close', () => {
      counts.ended++
      setTimeout(() => open(index), 10)
    })
    onTestFinished(() => void socket.destroy())
  }
  for (let i = 0; i < connections; i++) open(i)
  return { counts, stop: () => (isStopped = true) }
}

test('SECURITY-3 a flood of requests of any kind from one address is closed, and other clients are not delayed', async () => {
  // The setting allows each address the requests of 64 + 1 visitors: 1,300 at once, then 65 a second.
  const server = await startBehindProxy({ MAX_CONNECTIONS_PER_IP: '1' })
  const chatting = await waitForConnect(server.clientFrom('198.51.100.1', { reconnection: true }))
  const account = { name: 'alice', email: 'alice@example.org', password: 'correct horse' }
  const register = async () => (await server.callFrom('198.51.100.2', '/register', account)).status
  await expect.poll(register).toBe(201)
  // A server on a busy machine may reject a login, so the test repeats it.
  const logInFrom = async (address: string) => (await server.callFrom(address, '/login', account)).text()

  const { counts, stop } = flood(server.url)
  const beganAt = performance.now()
  const elapsedMs = () => performance.now() - beganAt
  for (let i = 0; counts.ended < minClosed && elapsedMs() < maxFloodMs; i++) {
    const message = { username: 'bob', message: `message ${i}`, createdTime: i }
    expect(await chatting.timeout(10_000).emitWithAck(events.sendMessage, message)).toMatchObject({ ok: true })
    if (i % 10 === 0) {
      const address = `198.51.100.${3 + (i % 200)}`
      await expect.poll(() => logInFrom(address)).toContain('Success')
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  stop()
  expect(counts.ended).toBeGreaterThanOrEqual(minClosed)
  expect(counts.rejected).toBeGreaterThan(0)
  expect(counts.served).toBeGreaterThan(100)
  expect(counts.served).toBeLessThan(1_300 + 65 * (elapsedMs() / 1_000 + 1))
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
})
