import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../base/error-guard.ts'
import { ignoreEvents } from '../../../observe/events.suite.ts'
import { type ProtectionStep, protectServer } from './protect-server.ts'
import { bytesPerBodyChunk } from './body-chunks.ts'
import {
  chunksPerRequest,
  createRequestTurns,
  maxRequestsPerTurn,
  maxRequestsReadPerTurn,
  requestsPerEnd,
} from './request-turns.ts'

/**
 * Starts a server that records the turn of the event loop in which it serves each request. `between` runs after the server
 * has read a request and before it serves the request.
 */
async function startServer(requests: number, between: ProtectionStep = {}) {
  let turn = 0
  let counting = setImmediate(function count() {
    turn++
    counting = setImmediate(count)
  })
  const served: { turn: number; name: string; port: number | undefined; index: number }[] = []
  /** Number of requests that the server had served when it read the first request of a name. */
  const servedBefore = new Map<string, number>()
  const record = ({ url = '', socket }: IncomingMessage) => {
    const [name = '', index] = url.split('?')
    served.push({ turn, name, port: socket.remotePort, index: Number(index) })
    return name
  }
  const { promise: allServed, resolve } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const name = record(request)
    request.on('data', () => chunksIn.push(turn))
    response.end()
    if (served.length === requests) resolve()
    if (name === '/throws') throw new Error('error in a later turn')
  })
  server.on('upgrade', (request, socket) => {
    record(request)
    socket.on('error', () => undefined).end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    if (served.length === requests) resolve()
  })
  const nameOf = ({ url = '' }: IncomingMessage) => url.split('?')[0] ?? ''
  // The name is the address. Its first part is the network.
  const networksOfName = (request: IncomingMessage) => {
    const name = nameOf(request)
    return { address: name, site: null, network: `/${name.split('/')[1]}` }
  }
  const { readInTurns, serveInTurns } = createRequestTurns(networksOfName)
  protectServer(server, [readInTurns, between, serveInTurns], createGuard(ignoreEvents))
  /** Turns in which the server read the requests. */
  const readIn: number[] = []
  /** Turns in which the server read the chunks of bodies. */
  const chunksIn: number[] = []
  /** Turns in which the server read the ends of connections. */
  const endsIn: number[] = []
  server.on('connection', (socket) => socket.once('end', () => endsIn.push(turn)))
  server.on('request', (request) => {
    readIn.push(turn)
    const name = nameOf(request)
    if (!servedBefore.has(name)) servedBefore.set(name, served.length)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    clearImmediate(counting)
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const request = (name: string, times: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    for (let i = 0; i < times; i++) socket.write(`GET ${name}?${i} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  }
  /** Opens connections. Resolves when the server has accepted all of them. */
  const connected = async (count: number) => {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => undefined))
    for (let accepted = 0; accepted < count; accepted++) await once(server, 'connection')
    return sockets
  }
  const upgrade = async (name: string, count: number) => {
    const sockets = await connected(count)
    for (const socket of sockets) {
      socket.write(`GET ${name} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`)
    }
    return sockets
  }
  return { request, upgrade, connected, served, servedBefore, readIn, chunksIn, endsIn, allServed }
}

const most = (counts: Map<unknown, unknown[]>) => Math.max(...[...counts.values()].map(({ length }) => length))

test('SECURITY-7 a turn of the event loop serves one request per connection and a few in total, in order', async () => {
  const { request, served, allServed } = await startServer(320)
  for (let i = 0; i < 40; i++) request(`/${i % 10}`, 8)
  await allServed
  expect(most(Map.groupBy(served, ({ turn }) => turn))).toBeLessThanOrEqual(maxRequestsPerTurn)
  expect(most(Map.groupBy(served, ({ turn, port }) => `${turn} ${port}`))).toBe(1)
  for (const requestsOfOne of Map.groupBy(served, ({ port }) => port).values()) {
    expect(requestsOfOne.map(({ index }) => index)).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7])
  }
})

test('SECURITY-7 a single request does not wait for all earlier requests of another client', async () => {
  const { request, served, servedBefore, allServed } = await startServer(401)
  for (let i = 0; i < 50; i++) request('/many', 8)
  request('/once', 1)
  await allServed
  const position = served.findIndex(({ name }) => name === '/once')
  // Count from the arrival of the request: the number of requests served before depends on the load of the machine.
  expect(position - (servedBefore.get('/once') ?? 0)).toBeLessThanOrEqual(2 * maxRequestsPerTurn)
})

test.each([
  ['the requests of all addresses of another network', (index: number) => `/many/${index}`, '/once'],
  ['all requests of another address of its network', () => '/network/many', '/network/once'],
])('SECURITY-3 a single request does not wait for %s', async (_name, nameOf, once) => {
  const { connected, served, servedBefore, allServed } = await startServer(401)
  const sockets = await connected(401)
  for (const [index, socket] of sockets.entries()) {
    socket.write(`GET ${index < 400 ? nameOf(index) : once} HTTP/1.1\r\nHost: x\r\n\r\n`)
  }
  await allServed
  const position = served.findIndex(({ name }) => name === once)
  expect(position - (servedBefore.get(once) ?? 0)).toBeLessThanOrEqual(2 * maxRequestsPerTurn)
})

test('SECURITY-7 the server reads the request of a client while many requests of another one wait', async () => {
  const { connected, servedBefore, allServed } = await startServer(601)
  const sockets = await connected(601)
  for (const [index, socket] of sockets.entries()) {
    socket.write(`GET ${index < 600 ? '/many' : '/once'}?0 HTTP/1.1\r\nHost: x\r\n\r\n`)
  }
  await allServed
  // A turn reads eight times as many requests as it serves.
  expect(servedBefore.get('/once')).toBeLessThan(300)
})

test('SECURITY-7 upgrades take turns too, and an upgrade that is aborted while it waits is dropped', async () => {
  const { request, upgrade, served, allServed } = await startServer(101)
  for (const socket of await upgrade('/leaves', 20)) socket.resetAndDestroy()
  await upgrade('/many', 100)
  request('/once', 1)
  await allServed
  expect(most(Map.groupBy(served, ({ turn }) => turn))).toBeLessThanOrEqual(maxRequestsPerTurn)
  expect(served.findIndex(({ name }) => name === '/once')).toBeLessThan(100)
})

test('SECURITY-7 a turn reads a limited number of requests, and all requests are served', async () => {
  const { connected, readIn, served, allServed } = await startServer(1_600)
  const sockets = await connected(100)
  const burst = Array.from({ length: 8 }, (_, index) => `GET /burst?${index} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')
  for (const socket of sockets) socket.write(burst)
  await expect.poll(() => served.length).toBe(800)
  for (const socket of sockets) socket.write(burst)
  await allServed
  const perTurn = Map.groupBy(readIn, (turn) => turn)
  expect(most(perTurn)).toBeLessThanOrEqual(maxRequestsReadPerTurn + 8)
  for (const requestsOfOne of Map.groupBy(served, ({ port }) => port).values()) {
    expect(requestsOfOne.map(({ index }) => index)).toStrictEqual(
      [...Array(2).keys()].flatMap(() => [...Array(8).keys()]),
    )
  }
})

test('SECURITY-7 a turn reads a limited number of requests that a later step rejects', async () => {
  const { connected, readIn } = await startServer(0, {
    onRequest: ({ socket }) => void socket.destroy(),
    onUpgrade: 'pass',
  })
  for (const socket of await connected(200)) socket.write('GET /burst HTTP/1.1\r\nHost: x\r\n\r\n')
  await expect.poll(() => readIn.length).toBe(200)
  expect(most(Map.groupBy(readIn, (turn) => turn))).toBeLessThanOrEqual(maxRequestsReadPerTurn)
})

test('SECURITY-7 a turn reads a limited number of ends of connections', async () => {
  const { connected, endsIn } = await startServer(0)
  for (const socket of await connected(200)) socket.end()
  await expect.poll(() => endsIn.length).toBe(200)
  expect(most(Map.groupBy(endsIn, (turn) => turn))).toBeLessThanOrEqual(maxRequestsReadPerTurn / requestsPerEnd)
})

test('EDGE-17 a turn reads a limited number of chunks, whatever the number of connections', async () => {
  const { connected, chunksIn, allServed } = await startServer(40)
  const sockets = await connected(40)
  for (const socket of sockets) {
    socket.write('POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  }
  await allServed
  const chunks = 100
  const chunk = `${bytesPerBodyChunk.toString(16)}\r\n${'x'.repeat(bytesPerBodyChunk)}\r\n`
  for (const socket of sockets) socket.write(chunk.repeat(chunks))
  await expect.poll(() => chunksIn.length).toBe(40 * chunks)
  const maxChunks = maxRequestsReadPerTurn * chunksPerRequest
  // The parser finishes the read in which the limit is reached.
  expect(most(Map.groupBy(chunksIn, (turn) => turn))).toBeLessThanOrEqual(maxChunks + chunks)
})

test('SECURITY-7 after the server closes a connection, further requests of the connection are not parsed', async () => {
  const { connected, readIn } = await startServer(0, {
    onRequest: ({ socket }) => void socket.destroy(),
    onUpgrade: 'pass',
  })
  const [socket] = await connected(1)
  socket?.resume().write('GET /many HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000))
  await expect.poll(() => socket?.closed).toBe(true)
  expect(readIn.length).toBe(2)
})

test('SECURITY-6 an error in a later turn closes only its own connection', async () => {
  const { request, served } = await startServer(4)
  const other = request('/other', 1)
  const failing = request('/first', 1)
  failing.write('GET /throws HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(failing.resume(), 'close')
  expect(served.map(({ name }) => name)).toContain('/throws')
  expect(other.destroyed).toBe(false)
})
