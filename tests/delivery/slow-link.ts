import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Opens a proxy to the server. On each connection, the proxy forwards bytes of the server at this rate at most. Closes the
 * proxy when the test ends.
 */
export async function openSlowLink(targetPort: number, bytesPerSecond: number) {
  const server = createServer((client) => {
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    client.pipe(upstream)
    upstream.on('data', (chunk) => {
      upstream.pause()
      client.write(chunk)
      setTimeout(() => upstream.resume(), (chunk.length * 1_000) / bytesPerSecond)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  onTestFinished(() => void server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port }
}
