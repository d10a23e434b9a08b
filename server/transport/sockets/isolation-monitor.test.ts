import { expect, onTestFinished, test } from 'vitest'
import { monitorIsolation } from './isolation-monitor.ts'
import { drainConnections } from './drain.ts'
import type { RoomServer } from './socket-server.ts'

/** Creates sockets for the drain. A socket leaves the map when the server closes it. */
function createSockets() {
  const sockets = new Map<string, unknown>()
  const closed: string[] = []
  const connect = (id: string, unacknowledged = 0) => {
    const connection = { isClosing: false, unacknowledged, sentAtMs: 0 }
    const close = () => {
      closed.push(id)
      sockets.delete(id)
    }
    sockets.set(id, { data: { connection }, conn: { transport: { writable: true }, close } })
    return connection
  }
  return { io: { sockets: { sockets } } as unknown as RoomServer, closed, connect }
}

test('REDIS-3 a node that is no longer isolated closes no client that reconnects, and finishes the closes it has begun', async () => {
  const { io, closed, connect } = createSockets()
  const slow = connect('slow', 1)
  connect('client')
  let isRoomWritable = false
  let steps = 0
  let drained: Promise<void> | undefined
  const fanOutDone = async () => void steps++
  const isolation = monitorIsolation({
    isolatedAfterMs: 0,
    isRoomWritable: async () => isRoomWritable,
    leave: (signal) => {
      drained = drainConnections(io, { broadcastNotice: () => undefined, startMs: 0, fanOutDone, signal })
    },
    report: () => undefined,
  })
  onTestFinished(() => isolation.stop())
  await expect.poll(() => closed).toStrictEqual(['client'])
  await expect.poll(() => slow.isClosing).toBe(true)
  expect(isolation.isIsolated()).toBe(true)

  isRoomWritable = true
  await expect.poll(() => isolation.isIsolated()).toBe(false)
  const returned = connect('client, again')
  const stepsBefore = steps
  await expect.poll(() => steps).toBeGreaterThan(stepsBefore + 5)
  expect(returned.isClosing).toBe(false)
  slow.unacknowledged = 0
  await drained
  expect(closed).toStrictEqual(['client', 'slow'])
})

test('DRAIN-3 a drain without an abort signal also closes a client that connects during it', async () => {
  const { io, closed, connect } = createSockets()
  const slow = connect('slow', 1)
  const fanOutDone = () => Promise.resolve()
  const drained = drainConnections(io, { broadcastNotice: () => undefined, startMs: 0, fanOutDone, signal: null })
  await expect.poll(() => slow.isClosing).toBe(true)
  connect('late')
  await expect.poll(() => closed).toStrictEqual(['late'])
  slow.unacknowledged = 0
  await drained
  expect(closed).toStrictEqual(['late', 'slow'])
})
