import { once } from 'node:events'
import type { Socket as EngineSocket } from 'engine.io'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { socketPath } from '../../contract/routes.ts'
import { createHeartbeats } from '../../server/transport/fast-path/heartbeats.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'

const modes: [string, { hasSharedTimer: boolean; hasDirectWrites: boolean }][] = [
  ['from one timer', { hasSharedTimer: true, hasDirectWrites: true }],
  ['from one timer, packet by packet', { hasSharedTimer: true, hasDirectWrites: false }],
  ["by Engine.IO's own timers", { hasSharedTimer: false, hasDirectWrites: false }],
]
/** No-op packet of Engine.IO. */
const noop = '6'
/** Timeout of pings and waits, long enough that a responding client does not time out on a busy machine. */
const generousTimeoutMs = 20_000

async function startHeartbeats(
  { hasSharedTimer, hasDirectWrites }: (typeof modes)[number][1],
  times: { intervalMs: number; timeoutMs: number },
) {
  const started = await startEngine({ pingInterval: times.intervalMs, pingTimeout: times.timeoutMs })
  const heartbeats = createHeartbeats(hasSharedTimer, createSocketWriter(hasDirectWrites), { ...times, slotMs: 10 })
  onTestFinished(heartbeats.stop)
  const reasons = new Map<EngineSocket, string>()
  started.engine.on('connection', (connection: EngineSocket) => {
    heartbeats.add(connection)
    connection.once('close', (reason: string) => reasons.set(connection, reason))
  })
  return { ...started, reasons }
}

for (const [mode, paths] of modes) {
  test(`FANOUT-9 with pings ${mode}, a client that responds stays connected on every transport`, async () => {
    const { url, reasons } = await startHeartbeats(paths, { intervalMs: 30, timeoutMs: generousTimeoutMs })
    const transports = [['websocket'], ['polling'], ['polling', 'websocket']]
    const clients = transports.map((names) => io(url, { forceNew: true, transports: names }))
    onTestFinished(() => clients.forEach((client) => client.close()))
    const pings = clients.map(() => 0)
    for (const [index, client] of clients.entries())
      client.io.on('ping', () => (pings[index] = (pings[index] ?? 0) + 1))
    await vi.waitUntil(() => pings.every((count) => count >= 4), { timeout: generousTimeoutMs })
    expect(clients.map(({ connected }) => connected)).toStrictEqual([true, true, true])
    expect(clients[2]?.io.engine.transport.name).toBe('websocket')
    expect(reasons.size).toBe(0)
  })

  test(`FANOUT-9 with pings ${mode}, a client that does not respond is closed after interval and timeout`, async () => {
    const { url, engine, join, reasons } = await startHeartbeats(paths, { intervalMs: 50, timeoutMs: 100 })
    const startedMs = performance.now()
    const { raw, conn } = await join()
    const polling = once(engine, 'connection') as Promise<[EngineSocket]>
    await fetch(`${url}${socketPath}?EIO=4&transport=polling`)
    const silent = [conn, (await polling)[0]]
    await raw.waitForPacket('2')
    await vi.waitUntil(() => reasons.size === 2, { timeout: generousTimeoutMs })
    expect(silent.map((connection) => reasons.get(connection))).toStrictEqual(['ping timeout', 'ping timeout'])
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(150)
    await raw.ended
  })

  test(`FANOUT-9 with pings ${mode}, a packet that is not a pong extends the deadline once`, async () => {
    const { join, reasons } = await startHeartbeats(paths, { intervalMs: 20, timeoutMs: 1_000 })
    const { raw } = await join()
    await raw.waitForPacket('2')
    const pingedMs = performance.now()
    const sending = setInterval(() => raw.send(noop), 50)
    onTestFinished(() => clearInterval(sending))
    await vi.waitUntil(() => reasons.size === 1, { timeout: generousTimeoutMs })
    // The client keeps sending packets and is closed nevertheless.
    expect([...reasons.values()]).toStrictEqual(['ping timeout'])
    expect(performance.now() - pingedMs).toBeGreaterThan(1_020)
  })
}
