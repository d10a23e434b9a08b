import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
  /** Forwards the request to the application. Without `onResponse`, the proxy passes the response through unchanged. */
  forward: (onResponse?: (response: IncomingMessage) => void) => void
}

/**
 * Starts an HTTP proxy in front of the application. The proxy rejects WebSocket handshakes, so that the page falls back
 * to polling.
 */
export async function startHttpProxy(applicationUrl: string, handle: (exchange: Exchange) => void) {
  const server = createServer((incoming, outgoing) => {
    const passThrough = (response: IncomingMessage) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    }
    const forward: Exchange['forward'] = (onResponse = passThrough) => {
      const { method, headers, url = '/' } = incoming
      const upstream = request(new URL(url, applicationUrl), { method, headers }, onResponse)
      upstream.on('error', () => outgoing.destroy())
      incoming.pipe(upstream)
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
