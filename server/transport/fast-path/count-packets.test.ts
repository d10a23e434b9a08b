import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Transport } from 'engine.io'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { WebSocketEngine } from '../sockets/web-socket-engine.ts'
import { createPacketCounter } from './count-packets.ts'

test('EDGE-4 a client that sends pings and reads nothing gets one pong, and the pong of its newest ping when it reads', async () => {
  const server = new WebSocketEngine({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  await once(server, 'listening')
  let pings = 0
  let unread: Duplex | undefined
  const countPackets = createPacketCounter(() => ++pings > 0)
  server.on('connection', (socket, request) => {
    // Everything written stays in the process, as with a client that reads nothing.
    unread = request.socket
    unread.cork()
    countPackets({ socket } as unknown as Transport)
  })
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => client.terminate())
  const pongs: string[] = []
  client.on('pong', (data) => pongs.push(data.toString()))
  await once(client, 'open')
  const [connection] = server.clients
  connection?.send('x'.repeat(10_000))
  const unreadBytes = connection?.bufferedAmount ?? 0
  for (let i = 1; i <= 1_000; i++) client.ping(`${i}`.padEnd(125))
  await expect.poll(() => pings).toBe(1_000)
  expect(connection?.bufferedAmount).toBeLessThan(unreadBytes + 200)

  unread?.uncork()
  await expect.poll(() => pongs.map(Number)).toStrictEqual([1, 1_000])
  client.ping('1001')
  await expect.poll(() => pongs.at(-1)).toBe('1001')
})
