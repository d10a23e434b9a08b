import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createGuard } from '../../../base/error-guard.ts'
import { ignoreEvents } from '../../../observe/events.suite.ts'
import { protectServer } from './protect-server.ts'
import { closeIdleWhenScarce } from './idle-connections.ts'

const maxConnections = 32

async function startServer() {
  const server = createServer((request, response) => {
    if (request.url === '/later') return
    response.end('well')
  })
  server.on('upgrade', (_request, socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  server.maxConnections = maxConnections
  protectServer(server, [closeIdleWhenScarce(server)], createGuard(ignoreEvents))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.closeAllConnections()
    server.close()
  })

  async function open(path: string, headers = ''): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    sockets.push(socket)
    await once(socket, 'connect')
    const received = once(server, headers === '' ? 'request' : 'upgrade')
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`)
    await received
    return socket.resume()
  }
  return { server, open }
}

test('EDGE-7 when descriptors are scarce, the server closes the connections that have been idle longest', async () => {
  const { server, open } = await startServer()
  const busy = await open('/later')
  const upgraded = await open('/room', 'Connection: Upgrade\r\nUpgrade: websocket\r\n')
  const idle: Socket[] = []
  for (let i = 0; i < maxConnections * 3; i++) {
    const socket = await open('/')
    idle.push(socket)
    // The connection is idle after the response.
    if (!socket.destroyed && socket.bytesRead === 0) await once(socket, 'data')
  }
  expect(server.keepAliveTimeout).toBe(5_000)
  await expect.poll(() => idle[0]?.destroyed).toBe(true)
  expect(idle.at(-1)?.destroyed).toBe(false)
  expect([busy.destroyed, upgraded.destroyed]).toStrictEqual([false, false])
})
