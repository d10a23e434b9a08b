import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
  /** Sends the request on to the application. Without `onAnswer`, the answer is passed through unchanged. */
  forward: (onAnswer?: (answer: IncomingMessage) => void) => void
}

/** An HTTP proxy in front of the application. It closes WebSocket handshakes, so the page falls back to polling. */
export async function startHttpProxy(applicationUrl: string, handle: (exchange: Exchange) => void) {
  const server = createServer((incoming, outgoing) => {
    const passThrough = (answer: IncomingMessage) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    }
    const forward: Exchange['forward'] = (onAnswer = passThrough) => {
      const { method, headers, url = '/' } = incoming
      const onward = request(new URL(url, applicationUrl), { method, headers }, onAnswer)
      onward.on('error', () => outgoing.destroy())
      incoming.pipe(onward)
    }
    handle({ incoming, outgoing, forward })
  })
  server.on('upgrade', (_incoming, socket) => socket.destroy())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
