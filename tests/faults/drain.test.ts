import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { socketPath } from '../../contract/routes.ts'
import { createFullClient } from './full-client.ts'
import { createHistoryWriter } from './history.ts'
import { createRandom } from './random.ts'
import { createServerSetup, type ServerSetup } from './server-setup.ts'
import { createTcpProxy, type Direction } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

const timeoutMs = 60_000
let setup: ServerSetup
let socket: Socket | undefined

beforeEach(async () => {
  setup = await createServerSetup()
  await setup.server.start()
}, timeoutMs)

afterEach(async () => {
  socket?.destroy()
  await setup.close()
  await setup.remove()
})

const upgrade = [
  `GET ${socketPath}?EIO=4&transport=websocket HTTP/1.1`,
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

test.each([
  ['sends nothing', '', false],
  ['stops in the middle of a request', 'GET / HTTP/1.1\r\nHost: ', false],
  ['opens a WebSocket and sends no Socket.IO packet', upgrade, true],
])(
  'DELIVERY-7 a drain ends in time when a client %s',
  async (_, request, hasResponse) => {
    socket = connect({ port: setup.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(request)
    if (hasResponse) await once(socket, 'data')
    socket.pause()
    expect(await setup.server.drain()).toBe('code 0')
  },
  timeoutMs,
)

test.each([[['toClient']], [['toServer']], [['toClient', 'toServer']]] satisfies [Direction[]][])(
  'DELIVERY-7 a drain ends in time when the connection of a client stalls (%s)',
  async (directions) => {
    const proxy = await createTcpProxy(setup.port)
    const name = 'client'
    const client = createFullClient({
      name,
      port: proxy.port,
      transport: 'websocket',
      perSecond: 0,
      history: createHistoryWriter(setup.histories, name),
      random: createRandom(name),
    })
    client.open()
    await waitFor('the client to be ready', () => client.isReady(), { timeoutMs })
    proxy.stall(directions, 'path')
    const outcome = await setup.server.drain()
    await client.close()
    await proxy.close()
    expect(outcome).toBe('code 0')
  },
  timeoutMs,
)
