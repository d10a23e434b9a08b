import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Transport } from 'engine.io'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { WebSocketEngine } from '../sockets/web-socket-engine.ts'
import { createPacketCounter, maxUnreadBytesForPong } from './count-packets.ts'

test('EDGE-4 pongs do not accumulate for a client that sends pings and reads nothing', async () => {
  const server = new WebSocketEngine({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  let pings = 0
  const countPackets = createPacketCounter(() => ++pings > 0)
  server.on('connection', (socket, request) => {
    // Everything written stays in the process, as with a client that reads nothing.
    request.socket.cork()
    countPackets({ socket } as unknown as Transport)
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  await once(client, 'open')
  for (let i = 0; i < 1_000; i++) client.ping('x'.repeat(125))
  await expect.poll(() => pings).toBe(1_000)

  const [connection] = server.clients
  expect(connection?.bufferedAmount).toBeGreaterThan(maxUnreadBytesForPong)
  expect(connection?.bufferedAmount).toBeLessThan(maxUnreadBytesForPong + 200)
})
