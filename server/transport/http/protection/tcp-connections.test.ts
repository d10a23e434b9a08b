import { Server } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { ignoreEvents } from '../../../observe/events.suite.ts'
import { createGuard } from '../../../base/error-guard.ts'
import { protectServer } from './protect-server.ts'
import { limitAllTcpConnections, limitTcpConnections } from './tcp-connections.ts'

/** A server that is only told of connections: their addresses cannot be had on one machine. */
function doorOf(maxConnectionsPerIp: number) {
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

test('SECURITY-3 an address holds so many TCP connections, whatever they are for, and a closed one makes room', async () => {
  const enter = doorOf(3)
  const sockets = Array.from({ length: 100 }, () => enter('203.0.113.7'))
  expect(admitted(sockets)).toBe(70)
  expect(enter('198.51.100.1').destroyed).toBe(false)
  const closed = new Promise((resolve) => sockets[0]?.once('close', resolve))
  sockets[0]?.destroy()
  await closed
  expect(enter('203.0.113.7').destroyed).toBe(false)
  expect(enter('203.0.113.7').destroyed).toBe(true)
})

test('SECURITY-3 loopback, a named proxy, and a maximum of 0 have none', () => {
  const enter = doorOf(1)
  for (const address of ['127.0.0.1', '10.0.0.1']) {
    expect(admitted(Array.from({ length: 200 }, () => enter(address)))).toBe(200)
  }
  const open = doorOf(0)
  expect(admitted(Array.from({ length: 200 }, () => open('203.0.113.7')))).toBe(200)
})

test('EDGE-7 connections never take the descriptors that the process needs for itself', () => {
  const server = new Server()
  limitAllTcpConnections(server, ignoreEvents)
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | 'unlimited' } } }
  const openFiles = userLimits?.open_files?.soft
  if (typeof openFiles === 'number') expect(openFiles - server.maxConnections).toBeGreaterThanOrEqual(100)
})
