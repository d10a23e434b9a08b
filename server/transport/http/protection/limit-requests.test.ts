import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { collectEvents } from '../../../observe/events.suite.ts'
import { networksOf } from '../../../limits/addresses.ts'
import { networkMultiplier } from '../../../limits/network-buckets.ts'
import { createGuard } from '../../../base/error-guard.ts'
import { protectServer } from './protect-server.ts'
import { limitRequests, maxUnreadBytesInTotal, maxUnreadBytesPerAddress } from './limit-requests.ts'

/** Starts a server with responses of this size, whose limits count requests by `address`. */
async function startServer(
  responseBytes: number,
  address: string | null | (() => string),
  maxUnansweredPerAddress = 100,
) {
  const server = createServer((_request, response) => response.end(Buffer.alloc(responseBytes)))
  const { report, of } = collectEvents()
  const closed = () => of('http-connection-closed').map(({ reason }) => reason)
  const limits = limitRequests({
    maxUnansweredPerAddress,
    networksOf: () => (address === null ? null : networksOf(typeof address === 'string' ? address : address())),
    report,
  })
  protectServer(server, [limits.step], createGuard(report))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    limits.stop()
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo

  /** Sends a request and reads only the first bytes of the response. */
  async function request(
    head = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  ): Promise<{ socket: Socket; begin: string; firstChunk: string }> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.write(head)
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    return { socket, begin: chunk.toString('latin1', 0, 12), firstChunk: chunk.toString('latin1') }
  }
  return { request, closed }
}

const largeBytes = 32 * 1_024 * 1_024

test('EDGE-2 a connection that reads nothing of its response for ten seconds is closed', async () => {
  const { request, closed } = await startServer(largeBytes, null)
  const { socket } = await request()
  await expect.poll(closed).toStrictEqual(['unread'])
  socket.resume()
  await once(socket, 'close')
})

test('EDGE-2 requests of an address with too many unread bytes are rejected', async () => {
  const { request } = await startServer(largeBytes, '203.0.113.7')
  expect(largeBytes).toBeGreaterThan(maxUnreadBytesPerAddress * 2)
  expect((await request()).begin).toBe('HTTP/1.1 200')
  expect((await request()).begin).toBe('HTTP/1.1 429')
})

test('EDGE-2 requests of an address above its limit of pending requests are rejected', async () => {
  const { request } = await startServer(largeBytes, '203.0.113.7', 1)
  expect((await request()).begin).toBe('HTTP/1.1 200')
  const { begin, firstChunk } = await request()
  expect(begin).toBe('HTTP/1.1 429')
  expect(firstChunk).toContain('Too many requests of this address are pending.')
})

test('EDGE-2 a rejected request gets a response, and the requests behind it are not parsed', async () => {
  let requests = 0
  const { request } = await startServer(largeBytes, () => (requests++, '203.0.113.7'), 1)
  await request()
  const { socket, begin } = await request('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))
  expect(begin).toBe('HTTP/1.1 429')
  await once(socket.resume(), 'close')
  expect(requests).toBe(2)
})

test('LIMITS-1 a /48 has four times the pending requests of an address, whatever addresses it uses', async () => {
  let addresses = 0
  // All responses together stay below the total limit, which would close connections.
  const responseBytes = maxUnreadBytesInTotal / (networkMultiplier.network + 1)
  const { request } = await startServer(responseBytes, () => `2001:db8:1:${(addresses++ * 256).toString(16)}::1`, 1)
  for (let i = 0; i < networkMultiplier.network; i++) expect((await request()).begin).toBe('HTTP/1.1 200')
  const { socket, begin } = await request()
  expect(begin).toBe('HTTP/1.1 429')
  await once(socket.resume(), 'close')
})

test('EDGE-2 connections are closed when the unread bytes of all addresses exceed the total limit', async () => {
  const { request, closed } = await startServer(largeBytes, null)
  const requests = Math.ceil(maxUnreadBytesInTotal / largeBytes) + 2
  for (let i = 0; i < requests; i++) await request()
  await expect.poll(() => closed().length).toBeGreaterThan(0)
})
