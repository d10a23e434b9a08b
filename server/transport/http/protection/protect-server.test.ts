import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../base/error-guard.ts'
import { collectEvents, ignoreEvents } from '../../../observe/events.suite.ts'
import { type ProtectionStep, protectServer } from './protect-server.ts'

const fail = (what: string) => () => {
  throw new Error(`the listener of ${what} is broken`)
}

test.each([
  ['request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['clientError', 'not a request\r\n\r\n'],
  ['connection', ''],
])('EDGE-1 an error in a listener of %s closes only its connection', async (event, bytes) => {
  const { report, of } = collectEvents()
  const server = createServer((_request, response) => response.end('fine')).on(event, fail(event))
  protectServer(server, [], createGuard(report))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  socket.resume().write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  const error = new Error(`the listener of ${event} is broken`)
  expect(of('callback-failed')).toContainEqual({ type: 'callback-failed', callback: event, error })
  expect(server.listening).toBe(true)
})

test('SECURITY-3 a request passes the steps in the order of the list, and the listeners after them', async () => {
  const passed: string[] = []
  const step = (name: string): ProtectionStep => ({
    onConnection: () => passed.push(`${name} connection`),
    onRequest(_request, _response, next) {
      passed.push(name)
      setImmediate(next)
    },
    onUpgrade: 'pass',
  })
  const server = createServer((_request, response) => {
    passed.push('listener')
    response.end()
  })
  protectServer(server, [step('first'), step('second')], createGuard(ignoreEvents))
  const url = await listen(server)
  await (await fetch(url)).text()
  expect(passed).toStrictEqual(['first connection', 'second connection', 'first', 'second', 'listener'])
})

test('SECURITY-3 after a step rejects a request, no later step and no listener handles it', async () => {
  const passed: string[] = []
  const server = createServer(() => passed.push('listener'))
  const rejecting: ProtectionStep = {
    onRequest: (_request, response) => response.writeHead(429).end(),
    onUpgrade: 'pass',
  }
  const later: ProtectionStep = { onRequest: () => passed.push('later'), onUpgrade: 'pass' }
  protectServer(server, [rejecting, later], createGuard(ignoreEvents))
  expect((await fetch(await listen(server))).status).toBe(429)
  expect(passed).toStrictEqual([])
})

test('EDGE-1 when a step throws, at once or in a later turn, the server closes the connection and reports the error', async () => {
  const { report, of } = collectEvents()
  const server = createServer((_request, response) => response.end('fine'))
  const later: ProtectionStep = {
    onRequest: (_request, _response, next) => void setImmediate(next),
    onUpgrade: 'pass',
  }
  protectServer(server, [later, { onRequest: fail('a step'), onUpgrade: 'pass' }], createGuard(report))
  await expect(fetch(await listen(server))).rejects.toThrow()
  expect(of('callback-failed')).toMatchObject([
    { callback: 'request', error: new Error('the listener of a step is broken') },
  ])
})

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
