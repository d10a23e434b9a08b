import { Server } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ignoreEvents } from '../../../observe/events.suite.ts'
import { createGuard } from '../../../base/error-guard.ts'
import { protectServer } from './protect-server.ts'
import { limitAllTcpConnections, limitTcpConnections } from './tcp-connections.ts'

/**
 * Returns a function that emulates a connection from any address, including addresses that this machine does not have.
 */
function createAcceptor(maxConnectionsPerIp: number) {
  const server = new Server()
  server.removeAllListeners('connection')
  const step = limitTcpConnections(maxConnectionsPerIp, (address) => address === '10.0.0.1', ignoreEvents)
  protectServer(server, [step], createGuard(ignoreEvents))
  return (remoteAddress: string): Socket => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
    server.emit('connection', socket)
    return socket
  }
}
const admitted = (sockets: Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length

test('SECURITY-3 TCP connections of an address above the limit are closed, and a closed connection makes room for another', async () => {
  const accept = createAcceptor(3)
  const sockets = Array.from({ length: 100 }, () => accept('203.0.113.7'))
  expect(admitted(sockets)).toBe(70)
  expect(accept('198.51.100.1').destroyed).toBe(false)
  const closed = new Promise((resolve) => sockets[0]?.once('close', resolve))
  sockets[0]?.destroy()
  await closed
  expect(accept('203.0.113.7').destroyed).toBe(false)
  expect(accept('203.0.113.7').destroyed).toBe(true)
})

test('SECURITY-3 loopback, a trusted proxy and a maximum of 0 have no limit', () => {
  const accept = createAcceptor(1)
  for (const address of ['127.0.0.1', '10.0.0.1']) {
    expect(admitted(Array.from({ length: 200 }, () => accept(address)))).toBe(200)
  }
  const acceptUnlimited = createAcceptor(0)
  expect(admitted(Array.from({ length: 200 }, () => acceptUnlimited('203.0.113.7')))).toBe(200)
})

test('EDGE-7 the maximum of connections leaves file descriptors for the process itself', () => {
  const server = new Server()
  limitAllTcpConnections(server, ignoreEvents)
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } }
  const openFiles = userLimits?.open_files?.soft
  if (typeof openFiles === 'number') expect(openFiles - server.maxConnections).toBeGreaterThanOrEqual(100)
})
