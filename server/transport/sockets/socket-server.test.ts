import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from 'socket.io'
import { expect, onTestFinished, test } from 'vitest'
import { socketPath } from '../../../contract/routes.ts'
import { createGuard } from '../../base/error-guard.ts'
import type { Admission } from '../../limits/admission.ts'
import { collectEvents } from '../../observe/events.suite.ts'
import { createSocketWriter } from '../fast-path/socket-writer.ts'
import { createOrigins } from '../http/origins.ts'
import { createEngineGate } from './engine-gate.ts'
import { createSocketServer, RoomlessAdapter } from './socket-server.ts'

test('FANOUT-8 a broadcast through Socket.IO throws and names the function to use', async () => {
  const io = new Server({ adapter: RoomlessAdapter })
  expect(() => io.emit('anything')).toThrow('broadcastNotice')
  expect(() => io.to('room').emit('anything')).toThrow('broadcastNotice')
  expect(() => io.disconnectSockets()).toThrow('broadcastNotice')
  expect(() => io.socketsJoin('room')).toThrow('broadcastNotice')
  await expect(async () => io.fetchSockets()).rejects.toThrow('broadcastNotice')
})

test('SECURITY-5 a request of another origin is rejected and reported once', async () => {
  const { report, types } = collectEvents()
  const { allows, isAllowedOrigin } = createOrigins({ publicOrigins: [], allowedOrigins: [] }, report)
  const server = createServer()
  const { io, engine, heartbeats } = createSocketServer(server, {
    allowsOrigin: allows,
    guard: createGuard(report),
    hasFastPath: false,
    socketWriter: createSocketWriter(false),
    cost: { start: () => 0, chargeDecoding: () => undefined },
  })
  onTestFinished(async () => {
    heartbeats.stop()
    await io.close()
  })
  const gate = createEngineGate({
    isAllowedOrigin,
    addressOf: () => '192.0.2.1',
    admission: {} as Admission,
    pressure: { level: () => 'none' },
    cost: { waitMs: () => 0 },
    isDraining: () => false,
    report,
  })
  engine.use(gate.middleware)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${socketPath}?EIO=4&transport=polling`
  const response = await fetch(url, { headers: { origin: 'https://other.example' } })
  expect(response.status).toBe(403)
  expect(types()).toStrictEqual(['origin-rejected'])
})
