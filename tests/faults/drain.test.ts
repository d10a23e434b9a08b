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
let stage: ServerSetup
let socket: Socket | undefined

beforeEach(async () => {
  stage = await createServerSetup()
  await stage.server.start()
}, timeoutMs)

afterEach(async () => {
  socket?.destroy()
  await stage.close()
  await stage.remove()
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
  ['never says a word', '', false],
  ['stops in the middle of its request', 'GET / HTTP/1.1\r\nHost: ', false],
  ['opens a WebSocket and never joins', upgrade, true],
])(
  'DELIVERY-7 a drain ends in time though a peer %s',
  async (_, request, answered) => {
    socket = connect({ port: stage.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(request)
    if (answered) await once(socket, 'data')
    socket.pause()
    expect(await stage.server.drain()).toBe('code 0')
  },
  timeoutMs,
)

test.each([[['toClient']], [['toServer']], [['toClient', 'toServer']]] satisfies [Direction[]][])(
  'DELIVERY-7 a drain ends in time though a page has fallen asleep (%s)',
  async (directions) => {
    const proxy = await createTcpProxy(stage.port)
    const name = 'sleeper'
    const sleeper = createFullClient({
      name,
      port: proxy.port,
      transport: 'websocket',
      perSecond: 0,
      history: createHistoryWriter(stage.histories, name),
      random: createRandom(name),
    })
    sleeper.open()
    await waitFor('the page to stand', () => sleeper.isReady(), { timeoutMs })
    proxy.stall(directions, 'path')
    const outcome = await stage.server.drain()
    await sleeper.close()
    await proxy.close()
    expect(outcome).toBe('code 0')
  },
  timeoutMs,
)
