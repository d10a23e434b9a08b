import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundBodyChunks } from '../http/protection/body-chunks.ts'

/**
 * Starts a server that limits the chunks of a body if `isLimited` is set, and counts the chunks that the parser
 * handles.
 */
async function startServer({ isLimited, isBodyRead = true }: { isLimited: boolean; isBodyRead?: boolean }) {
  let chunks = 0
  const server = createServer((request, response) => {
    countChunks(request, () => chunks++)
    if (isLimited) boundBodyChunks(request, response)
    if (isBodyRead) request.pipe(response)
    else response.end('not read')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    chunks: () => chunks,
    /** Sends a body in chunks. Resolves when the server has closed the connection. */
    sendInChunks: async (count: number): Promise<void> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      const headers = 'Host: x\r\nConnection: close\r\nTransfer-Encoding: chunked'
      socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\n${'1\r\nx\r\n'.repeat(count)}0\r\n\r\n`)
      await once(socket.resume(), 'close')
    },
    send: async (body: string) => (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).text(),
  }
}

/** Calls `note` for each chunk of a body. The parser reads its property `incoming` once per chunk. */
function countChunks(request: IncomingMessage, note: () => void): void {
  const parser = Reflect.get(request.socket, 'parser') as object
  let incoming: unknown = request
  Object.defineProperty(parser, 'incoming', {
    configurable: true,
    get: () => (note(), incoming),
    set: (value: unknown) => {
      incoming = value
    },
  })
}

test('EDGE-17 the parser stops when a body with too many chunks is aborted', async () => {
  const stopped = await startServer({ isLimited: true })
  await stopped.sendInChunks(8_000)
  const notStopped = await startServer({ isLimited: false })
  await notStopped.sendInChunks(8_000)
  expect(stopped.chunks()).toBeLessThan(1_000)
  expect(notStopped.chunks()).toBeGreaterThan(5_000)
})

test('EDGE-17 the parser stops at too many chunks of a body that is not read', async () => {
  const stopped = await startServer({ isLimited: true, isBodyRead: false })
  await stopped.sendInChunks(8_000)
  expect(stopped.chunks()).toBeLessThan(1_000)
})

test('EDGE-17 a connection whose requests have unread bodies stays usable', async () => {
  const { send } = await startServer({ isLimited: true, isBodyRead: false })
  for (let i = 0; i < 20; i++) expect(await send('x'.repeat(100_000))).toBe('not read')
})

test('EDGE-17 a parser of an aborted connection works for the next connection', async () => {
  const { sendInChunks, send } = await startServer({ isLimited: true })
  for (let i = 0; i < 20; i++) {
    await sendInChunks(2_000)
    expect(await send('next body')).toBe('next body')
  }
})
