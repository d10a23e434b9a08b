import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

interface End {
  socket: Socket
  heard: () => string
  ended: () => boolean
  closed: () => boolean
}

function listenTo(socket: Socket): End {
  let [heard, ended, closed] = ['', false, false]
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => (heard += text))
  socket.on('end', () => (ended = true))
  socket.on('error', () => undefined)
  socket.on('close', () => (closed = true))
  return { socket, heard: () => heard, ended: () => ended, closed: () => closed }
}

const target = createServer({ allowHalfOpen: true })
let proxy: TcpProxy
let open: Socket[] = []

async function openLink(): Promise<{ client: End; server: End }> {
  const accepted = once(target, 'connection') as Promise<[Socket]>
  const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  const [server] = await accepted
  open.push(client, server)
  return { client: listenTo(client), server: listenTo(server) }
}

beforeEach(async () => {
  target.listen(0, '127.0.0.1')
  await once(target, 'listening')
  proxy = await createTcpProxy((target.address() as AddressInfo).port)
})

afterEach(async () => {
  await proxy.close()
  for (const socket of open) socket.destroy()
  open = []
  const closed = once(target, 'close')
  target.close()
  await closed
})

test('FAULTS-1 the proxy carries both directions', async () => {
  const { client, server } = await openLink()
  client.socket.write('ping')
  await waitFor('ping', () => server.heard() === 'ping')
  server.socket.write('pong')
  await waitFor('pong', () => client.heard() === 'pong')
})

test.each(['close', 'reset'] as const)(
  'FAULTS-1 the proxy cuts both ends (%s), one connection alone',
  async (style) => {
    const one = await openLink()
    const [link] = proxy.links()
    const other = await openLink()
    link?.cut(style)
    await waitFor('both ends to see the cut', () =>
      [one.client, one.server].every((end) => end.closed() || (style === 'close' && end.ended())),
    )
    other.client.socket.write('still here')
    await waitFor('the other connection', () => other.server.heard() === 'still here')
    expect(other.client.closed()).toBe(false)
  },
)

test('FAULTS-1 the proxy stalls one direction until it is resumed', async () => {
  const { client, server } = await openLink()
  const answer = () => client.socket.write('x')
  proxy.stall(['toClient'], 'links')
  server.socket.write('late')
  answer()
  await waitFor('the free direction', () => server.heard() === 'x')
  const unstalled = await openLink()
  unstalled.server.socket.write('new')
  await waitFor('a new connection', () => unstalled.client.heard() === 'new')
  expect(client.heard()).toBe('')
  proxy.resume()
  await waitFor('the stalled bytes', () => client.heard() === 'late')
})

test('FAULTS-1 the proxy pushes back on a writer whose reader is stalled', async () => {
  const { client, server } = await openLink()
  proxy.stall(['toClient'], 'links')
  const megabyte = 'm'.repeat(1_024 * 1_024)
  let megabytes = 0
  while (server.socket.writableLength < 1_024 * 1_024 && megabytes < 64) {
    server.socket.write(megabyte)
    megabytes++
  }
  await waitFor('the kernel to take what it will', () => server.socket.bytesWritten > 0)
  expect(server.socket.writableLength).toBeGreaterThan(0)
  proxy.resume()
  await waitFor('all of it', () => client.heard().length === megabytes * megabyte.length)
})

test('FAULTS-1 a stalled path stalls new connections too', async () => {
  proxy.stall(['toServer'], 'path')
  const { client, server } = await openLink()
  client.socket.write('late')
  server.socket.write('now')
  await waitFor('the free direction', () => client.heard() === 'now')
  expect(server.heard()).toBe('')
  proxy.resume()
  await waitFor('the stalled bytes', () => server.heard() === 'late')
})

test('FAULTS-1 the proxy half-closes: one direction ends, the other flows', async () => {
  const { client, server } = await openLink()
  proxy.halfClose('toServer')
  await waitFor('the FIN', () => server.ended())
  client.socket.write('dropped')
  server.socket.write('still flows')
  await waitFor('the open direction', () => client.heard() === 'still flows')
  expect(client.ended()).toBe(false)
  expect(server.heard()).toBe('')
})

test('FAULTS-1 the proxy refuses until it is resumed', async () => {
  const before = await openLink()
  proxy.refuse()
  await waitFor('the cut', () => [before.client, before.server].every((end) => end.closed() || end.ended()))
  const refused = listenTo(connect({ port: proxy.port, host: '127.0.0.1' }))
  await waitFor('the refusal', () => refused.closed())
  proxy.resume()
  const { client, server } = await openLink()
  client.socket.write('back')
  await waitFor('the connection', () => server.heard() === 'back')
})
