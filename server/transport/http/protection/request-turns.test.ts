import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../base/error-guard.ts'
import { ignoreEvents } from '../../../observe/events.suite.ts'
import { protectServer } from './protect-server.ts'
import { maxRequestsPerTurn, maxWaitingRequests, serveInTurns } from './request-turns.ts'

/** Notes in which turn of the event loop, and for whom, each request was served. */
async function startServer(requests: number) {
  let turn = 0
  let counting = setImmediate(function count() {
    turn++
    counting = setImmediate(count)
  })
  const served: { turn: number; name: string; port: number | undefined; index: number }[] = []
  /** How many had been served when the first of this name came. */
  const servedBefore = new Map<string, number>()
  const note = ({ url = '', socket }: IncomingMessage) => {
    const [name = '', index] = url.split('?')
    served.push({ turn, name, port: socket.remotePort, index: Number(index) })
    return name
  }
  const { promise: allServed, resolve } = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const name = note(request)
    response.end()
    if (served.length === requests) resolve()
    if (name === '/throws') throw new Error('thrown in a turn of its own')
  })
  server.on('upgrade', (request, socket) => {
    note(request)
    socket.on('error', () => undefined).end('HTTP/1.1 101 Switching Protocols\r\n\r\n')
    if (served.length === requests) resolve()
  })
  const nameOf = ({ url = '' }: IncomingMessage) => url.split('?')[0] ?? ''
  protectServer(server, [serveInTurns(nameOf)], createGuard(ignoreEvents))
  /** In which turn each request was read. */
  const readIn: number[] = []
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
  const ask = (name: string, times: number) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    for (let i = 0; i < times; i++) socket.write(`GET ${name}?${i} HTTP/1.1\r\nHost: x\r\n\r\n`)
    return socket
  }
  /** All at once: they are accepted before the first of them says what it wants. */
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
  return { ask, upgrade, connected, served, servedBefore, readIn, allServed }
}

const most = (counts: Map<unknown, unknown[]>) => Math.max(...[...counts.values()].map(({ length }) => length))

test('SECURITY-7 a turn of the event loop serves one request of a connection and a few in all, in order', async () => {
  const { ask, served, allServed } = await startServer(320)
  for (let i = 0; i < 40; i++) ask(`/${i % 10}`, 8)
  await allServed
  expect(most(Map.groupBy(served, ({ turn }) => turn))).toBeLessThanOrEqual(maxRequestsPerTurn)
  expect(most(Map.groupBy(served, ({ turn, port }) => `${turn} ${port}`))).toBe(1)
  for (const ofOne of Map.groupBy(served, ({ port }) => port).values()) {
    expect(ofOne.map(({ index }) => index)).toStrictEqual([0, 1, 2, 3, 4, 5, 6, 7])
  }
})

test('SECURITY-7 who asks once does not wait for all that somebody else has asked before', async () => {
  const { ask, served, servedBefore, allServed } = await startServer(401)
  for (let i = 0; i < 50; i++) ask('/many', 8)
  ask('/once', 1)
  await allServed
  const position = served.findIndex(({ name }) => name === '/once')
  // From when it came: how many were served before that is a question of how busy the machine is.
  expect(position - (servedBefore.get('/once') ?? 0)).toBeLessThanOrEqual(2 * maxRequestsPerTurn)
})

test('SECURITY-7 who comes to stay takes turns too, and one that leaves while it waits is let go', async () => {
  const { ask, upgrade, served, allServed } = await startServer(101)
  for (const socket of await upgrade('/leaves', 20)) socket.resetAndDestroy()
  await upgrade('/many', 100)
  ask('/once', 1)
  await allServed
  expect(most(Map.groupBy(served, ({ turn }) => turn))).toBeLessThanOrEqual(maxRequestsPerTurn)
  expect(served.findIndex(({ name }) => name === '/once')).toBeLessThan(100)
})

test('SECURITY-7 however many connections have something at once, a turn reads little more than may wait; all are heard', async () => {
  const { connected, readIn, served, allServed } = await startServer(1_600)
  const sockets = await connected(100)
  const burst = Array.from({ length: 8 }, (_, index) => `GET /burst?${index} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')
  for (const socket of sockets) socket.write(burst)
  await expect.poll(() => served.length).toBe(800)
  for (const socket of sockets) socket.write(burst)
  await allServed
  const perTurn = Map.groupBy(readIn, (turn) => turn)
  expect(most(perTurn)).toBeLessThanOrEqual(maxWaitingRequests + maxRequestsPerTurn + 8)
  for (const ofOne of Map.groupBy(served, ({ port }) => port).values()) {
    expect(ofOne.map(({ index }) => index)).toStrictEqual([...Array(2).keys()].flatMap(() => [...Array(8).keys()]))
  }
})

test('SECURITY-6 what is thrown in a later turn ends its own connection and no other', async () => {
  const { ask, served } = await startServer(4)
  const other = ask('/other', 1)
  const odd = ask('/first', 1)
  odd.write('GET /throws HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(odd.resume(), 'close')
  expect(served.map(({ name }) => name)).toContain('/throws')
  expect(other.destroyed).toBe(false)
})
