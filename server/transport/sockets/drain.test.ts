import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { drainConnections } from './drain.ts'
import type { RoomServer } from './socket-server.ts'

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  await vi.advanceTimersByTimeAsync(1_000)
})
afterEach(() => void vi.useRealTimers())

/** Starts the drain of these clients. `online` returns the names of the clients that are not closed yet. */
function startDrain(names: readonly string[]) {
  const connections = new Map(names.map((name) => [name, { isClosing: false, unacknowledged: 0, sentAtMs: 0 }]))
  const sockets = new Map(
    [...connections].map(([name, connection]) => {
      const conn = { transport: { writable: true }, close: () => sockets.delete(name) }
      return [name, { data: { connection }, conn }] as const
    }),
  )
  const ended = drainConnections({ sockets: { sockets } } as unknown as RoomServer, {
    broadcastNotice: () => undefined,
    startMs: 0,
    fanOutDone: async () => undefined,
    signal: null,
  })
  const send = (name: string) => Object.assign(connections.get(name) ?? {}, { sentAtMs: performance.now() })
  return { ended, send, online: () => [...sockets.keys()] }
}

const idle = Array.from({ length: 60 }, (_, index) => `idle ${index}`)

test('DRAIN-4 idle clients are closed one after the other, and an active sender stays until it pauses', async () => {
  const { ended, send, online } = startDrain(['sender', ...idle])
  send('sender')
  await vi.advanceTimersByTimeAsync(250)
  expect(online().length).toBeGreaterThan(20)
  expect(online().length).toBeLessThan(40)
  for (let sent = 0; sent < 10; sent++) {
    send('sender')
    await vi.advanceTimersByTimeAsync(200)
  }
  expect(online()).toStrictEqual(['sender'])
  await vi.advanceTimersByTimeAsync(600)
  expect(online()).toStrictEqual([])
  await ended
})

test('DRAIN-3 a client that never stops sending is closed when the drain deadline expires', async () => {
  const { ended, send, online } = startDrain(['sender'])
  for (let sent = 0; sent < 29; sent++) {
    send('sender')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(online()).toStrictEqual(['sender'])
  for (let sent = 0; sent < 2; sent++) {
    send('sender')
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(online()).toStrictEqual([])
  await ended
})
