import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTcpProxy, type TcpProxy } from './tcp-proxy.ts'
import { waitFor } from './wait-for.ts'

interface Endpoint {
  socket: Socket
  received: () => string
  hasEnded: () => boolean
  isClosed: () => boolean
}

function observe(socket: Socket): Endpoint {
  let [received, hasEnded, isClosed] = ['', false, false]
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => (received += text))
  socket.on('end', () => (hasEnded = true))
  socket.on('error', () => undefined)
  socket.on('close', () => (isClosed = true))
  return { socket, received: () => received, hasEnded: () => hasEnded, isClosed: () => isClosed }
}

const target = createServer({ allowHalfOpen: true })
let proxy: TcpProxy
let open: Socket[] = []

async function openLink(): Promise<{ client: Endpoint; server: Endpoint }> {
  const accepted = once(target, 'connection') as Promise<[Socket]>
  const client = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  const [server] = await accepted
  open.push(client, server)
  return { client: observe(client), server: observe(server) }
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

test('FAULTS-1 the proxy forwards both directions', async () => {
  const { client, server } = await openLink()
  client.socket.write('ping')
  await waitFor('ping', () => server.received() === 'ping')
  server.socket.write('pong')
  await waitFor('pong', () => client.received() === 'pong')
})

test.each(['close', 'reset'] as const)('FAULTS-1 the proxy cuts both ends of one connection (%s)', async (style) => {
  const one = await openLink()
  const [link] = proxy.links()
  const other = await openLink()
  link?.cut(style)
  await waitFor('both ends to see the cut', () =>
    [one.client, one.server].every((end) => end.isClosed() || (style === 'close' && end.hasEnded())),
  )
  other.client.socket.write('still here')
  await waitFor('the other connection', () => other.server.received() === 'still here')
  expect(other.client.isClosed()).toBe(false)
})

test('FAULTS-1 the proxy stalls one direction until it is resumed', async () => {
  const { client, server } = await openLink()
  const write = () => client.socket.write('x')
  proxy.stall(['toClient'], 'links')
  server.socket.write('late')
  write()
  await waitFor('the free direction', () => server.received() === 'x')
  const unstalled = await openLink()
  unstalled.server.socket.write('new')
  await waitFor('a new connection', () => unstalled.client.received() === 'new')
  expect(client.received()).toBe('')
  proxy.resume()
  await waitFor('the stalled bytes', () => client.received() === 'late')
})

test('FAULTS-1 the proxy applies backpressure to a writer whose reader is stalled', async () => {
  const { client, server } = await openLink()
  proxy.stall(['toClient'], 'links')
  const megabyte = 'm'.repeat(1_024 * 1_024)
  let megabytes = 0
  while (server.socket.writableLength < 1_024 * 1_024 && megabytes < 64) {
    server.socket.write(megabyte)
    megabytes++
  }
  await waitFor('the kernel to accept data', () => server.socket.bytesWritten > 0)
  expect(server.socket.writableLength).toBeGreaterThan(0)
  proxy.resume()
  await waitFor('all bytes', () => client.received().length === megabytes * megabyte.length)
})

test('FAULTS-1 a stalled path also stalls new connections', async () => {
  proxy.stall(['toServer'], 'path')
  const { client, server } = await openLink()
  client.socket.write('late')
  server.socket.write('now')
  await waitFor('the free direction', () => client.received() === 'now')
  expect(server.received()).toBe('')
  proxy.resume()
  await waitFor('the stalled bytes', () => server.received() === 'late')
})

test('FAULTS-1 a half-close ends one direction, the other stays open', async () => {
  const { client, server } = await openLink()
  proxy.halfClose('toServer')
  await waitFor('the FIN', () => server.hasEnded())
  client.socket.write('dropped')
  server.socket.write('still flows')
  await waitFor('the open direction', () => client.received() === 'still flows')
  expect(client.hasEnded()).toBe(false)
  expect(server.received()).toBe('')
})

test('FAULTS-1 the proxy rejects connections until it is resumed', async () => {
  const before = await openLink()
  proxy.rejectConnections()
  await waitFor('the cut', () => [before.client, before.server].every((end) => end.isClosed() || end.hasEnded()))
  const rejected = observe(connect({ port: proxy.port, host: '127.0.0.1' }))
  await waitFor('the rejection', () => rejected.isClosed())
  proxy.resume()
  const { client, server } = await openLink()
  client.socket.write('back')
  await waitFor('the connection', () => server.received() === 'back')
})
