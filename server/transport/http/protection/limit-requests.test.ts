import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createAbortConnection } from '../../fast-path/abort-connection.ts'
import { collectEvents } from '../../../observe/events.suite.ts'
import { createGuard } from '../../../base/error-guard.ts'
import { protectServer } from './protect-server.ts'
import { limitRequests, maxUnreadBytesInTotal, maxUnreadBytesPerAddress } from './limit-requests.ts'

/** A server whose answers are larger than what the system itself holds for a peer that reads nothing. */
async function startServer(answerBytes: number, address: string | null, maxUnansweredPerAddress = 100) {
  const server = createServer((_request, response) => response.end(Buffer.alloc(answerBytes)))
  const { report, of } = collectEvents()
  const ended = () => of('http-connection-closed').map(({ reason }) => reason)
  const limits = limitRequests({
    maxUnansweredPerAddress,
    keyOf: () => address,
    abortConnection: createAbortConnection(true),
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

  /** Asks, and reads no more than the first bytes of the answer. */
  async function ask(): Promise<{ socket: Socket; begin: string }> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    socket.pause()
    return { socket, begin: chunk.toString('latin1', 0, 12) }
  }
  return { ask, ended }
}

const plenty = 32 * 1_024 * 1_024

test('EDGE-2 an answer of which nothing is read for ten seconds is let go', async () => {
  const { ask, ended } = await startServer(plenty, null)
  const { socket } = await ask()
  await expect.poll(ended, { timeout: 18_000 }).toStrictEqual(['unread'])
  socket.resume()
  await once(socket, 'close')
})

test('EDGE-2 an address that leaves answers unread gets no further ones', async () => {
  const { ask } = await startServer(plenty, '203.0.113.7')
  expect(plenty).toBeGreaterThan(maxUnreadBytesPerAddress * 2)
  expect((await ask()).begin).toBe('HTTP/1.1 200')
  expect((await ask()).begin).toBe('HTTP/1.1 429')
})

test('EDGE-2 an address has so many requests in flight and no more', async () => {
  const { ask } = await startServer(plenty, '203.0.113.7', 1)
  expect((await ask()).begin).toBe('HTTP/1.1 200')
  expect((await ask()).begin).toBe('HTTP/1.1 429')
})

test('EDGE-2 where no limits per address apply, all that is unread together has one', async () => {
  const { ask, ended } = await startServer(plenty, null)
  const asked = Math.ceil(maxUnreadBytesInTotal / plenty) + 2
  for (let i = 0; i < asked; i++) await ask()
  await expect.poll(() => ended().length).toBeGreaterThan(0)
})
