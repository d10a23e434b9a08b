import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { boundBodyChunks } from '../http/protection/body-chunks.ts'
import { createAbortConnection } from './abort-connection.ts'

/** Ends bodies in absurdly small pieces, and notes how often a piece was handed over. */
async function startServer(canStopParser: boolean) {
  const abortConnection = createAbortConnection(canStopParser)
  let pieces = 0
  const server = createServer((request, response) => {
    countPieces(request, () => pieces++)
    boundBodyChunks(request, abortConnection)
    request.pipe(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    pieces: () => pieces,
    /** Resolves when the server has ended the connection. */
    sendInPieces: async (count: number): Promise<void> => {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(count)}`)
      await once(socket.resume(), 'close')
    },
    send: async (body: string) => (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })).text(),
  }
}

/** The parser looks for its request in this property each time that it has a piece. */
function countPieces(request: IncomingMessage, note: () => void): void {
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

test('EDGE-17 of a body in absurdly small pieces, nothing more is heard once its connection is ended', async () => {
  const stopped = await startServer(true)
  await stopped.sendInPieces(8_000)
  const goesOn = await startServer(false)
  await goesOn.sendInPieces(8_000)
  expect(stopped.pieces()).toBeLessThan(1_000)
  expect(goesOn.pieces()).toBeGreaterThan(5_000)
})

test('EDGE-17 a parser whose connection was ended midway hears the next one, which is somebody else’s', async () => {
  const { sendInPieces, send } = await startServer(true)
  for (let i = 0; i < 20; i++) {
    await sendInPieces(2_000)
    expect(await send('a body of its own')).toBe('a body of its own')
  }
})
