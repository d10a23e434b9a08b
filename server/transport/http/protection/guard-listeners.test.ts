import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../base/error-guard.ts'
import { guardListeners } from './guard-listeners.ts'

const fail = (what: string) => () => {
  throw new Error(`the listener of ${what} is broken`)
}

test.each([
  ['request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['upgrade', 'GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
  ['clientError', 'this is no request\r\n\r\n'],
  ['connection', ''],
])('EDGE-1 a broken listener of %s ends that connection, and nothing else', async (event, bytes) => {
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) })
  const server = createServer((_request, response) => response.end('fine')).on(event, fail(event))
  guardListeners(server, createGuard(log))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  socket.resume().write(bytes)
  await new Promise((resolve) => socket.once('close', resolve))
  expect(lines.join()).toContain(`the listener of ${event} is broken`)
  expect(server.listening).toBe(true)
})
