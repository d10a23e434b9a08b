import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket as EngineSocket } from 'engine.io'
import { io } from 'socket.io-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { socketPath } from '../../contract/routes.ts'
import { createHeartbeats } from '../../server/transport/fast-path/heartbeats.ts'
import { type Capabilities, detectCapabilities } from '../../server/transport/fast-path/library-internals.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'

const { capabilities: allCapabilities } = detectCapabilities()
const modes: [string, Partial<Capabilities>][] = [
  ['from one timer, with early pongs', {}],
  ['from one timer, with parsed pongs', { earlyPongs: false }],
  ['from one timer, packet by packet', { directWrites: false }],
  ["by Engine.IO's own timers", { sharedHeartbeats: false }],
]
/** The no-op packet of Engine.IO. */
const noop = '6'
/** Long enough that a responding client does not time out on a busy machine. */
const generousTimeoutMs = 20_000

async function startHeartbeats(capabilities: Partial<Capabilities>, times: { intervalMs: number; timeoutMs: number }) {
  const started = await startEngine({ pingInterval: times.intervalMs, pingTimeout: times.timeoutMs })
  const usable = { ...allCapabilities, ...capabilities }
  const heartbeats = createHeartbeats(usable, createSocketWriter(usable), { ...times, slotMs: 10 })
  onTestFinished(heartbeats.stop)
  const reasons = new Map<EngineSocket, string>()
  started.engine.on('connection', (connection: EngineSocket) => {
    heartbeats.add(connection)
    connection.once('close', (reason: string) => reasons.set(connection, reason))
  })
  return { ...started, reasons }
}

for (const [mode, capabilities] of modes) {
  test(`FANOUT-9 pinged ${mode}, a client that responds stays connected on every transport`, async () => {
    const { url, reasons } = await startHeartbeats(capabilities, { intervalMs: 30, timeoutMs: generousTimeoutMs })
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

  test(`FANOUT-9 pinged ${mode}, a client that does not respond is closed after interval and timeout`, async () => {
    const { url, engine, join, reasons } = await startHeartbeats(capabilities, { intervalMs: 50, timeoutMs: 100 })
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

  test(`FANOUT-9 pinged ${mode}, a packet that is not a pong extends the deadline once`, async () => {
    const { join, reasons } = await startHeartbeats(capabilities, { intervalMs: 20, timeoutMs: 1_000 })
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

const key = 'dGhlIHNhbXBsZSBub25jZQ=='
const pongFrame = Buffer.from([0x81, 0x81, 1, 2, 3, 4, 0x33 ^ 1])

/** Opens a WebSocket on which the test writes raw bytes. */
async function openRawWebSocket(url: string, engine: { on: unknown; once: unknown }) {
  const arrived = once(engine as never, 'connection') as Promise<[EngineSocket]>
  const tcp = connect(Number(new URL(url).port), '127.0.0.1').setNoDelay()
  onTestFinished(() => void tcp.destroy())
  tcp.write(
    `GET ${socketPath}?EIO=4&transport=websocket HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  )
  const [conn] = await arrived
  const packets: string[] = []
  conn.on('packet', ({ type }: { type: string }) => packets.push(type))
  let pings = 0
  tcp.on('data', (chunk: Buffer) => {
    if (chunk.includes(Buffer.from([0x81, 1, 0x32]))) pings++
  })
  const nthPing = (count: number) => vi.waitUntil(() => pings >= count, { timeout: generousTimeoutMs })
  return { tcp, conn, packets, nthPing }
}

test('FANOUT-9 an expected pong is handled early and any other pong like every packet', async () => {
  const { url, engine } = await startHeartbeats({}, { intervalMs: 50, timeoutMs: generousTimeoutMs })
  const { tcp, packets, nthPing } = await openRawWebSocket(url, engine)
  await nthPing(1)
  tcp.write(pongFrame)
  await nthPing(2)
  expect(packets).toStrictEqual([])
  // The first pong is expected. The second one in the same chunk makes the server parse the chunk normally.
  tcp.write(Buffer.concat([pongFrame, pongFrame]))
  await vi.waitUntil(() => packets.length === 2, { timeout: generousTimeoutMs })
  expect(packets).toStrictEqual(['pong', 'pong'])
})

test('FANOUT-9 a fragmented pong counts, and a pong inside a message is a protocol error', async () => {
  const { url, engine, reasons } = await startHeartbeats({}, { intervalMs: 50, timeoutMs: generousTimeoutMs })
  const { tcp, conn, packets, nthPing } = await openRawWebSocket(url, engine)
  await nthPing(1)
  const firstPart = once(
    (conn.transport as unknown as { socket: { _socket: NodeJS.EventEmitter } }).socket._socket,
    'data',
  )
  tcp.write(pongFrame.subarray(0, 4))
  await firstPart
  tcp.write(pongFrame.subarray(4))
  await nthPing(2)
  expect(packets).toStrictEqual(['pong'])
  const halfMessage = Buffer.from([0x01, 0x81, 0, 0, 0, 0, 0x34])
  const secondPart = once(
    (conn.transport as unknown as { socket: { _socket: NodeJS.EventEmitter } }).socket._socket,
    'data',
  )
  tcp.write(halfMessage)
  await secondPart
  tcp.write(pongFrame)
  await vi.waitUntil(() => reasons.size === 1, { timeout: generousTimeoutMs })
  expect([...reasons.values()]).toStrictEqual(['transport error'])
})
