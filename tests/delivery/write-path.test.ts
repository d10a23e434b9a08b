import type { Socket } from 'node:net'
import { Socket as EngineSocket } from 'engine.io'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as ws from 'ws'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { createAckBatch } from '../../server/transport/fast-path/ack-batch.ts'
import { encodePackets } from '../../server/room/deliver/encoded-packets.ts'
import { internalNames, detectCapabilities } from '../../server/transport/fast-path/library-internals.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }

const { capabilities } = detectCapabilities()

/** Returns the warnings about library internals that the server logs while clients chat over both transports. */
async function warningsWhileChatting(hiddenInternals: readonly string[] = []): Promise<string[]> {
  const warnings: string[] = []
  function write(line: string): void {
    const { msg, missing } = JSON.parse(line) as { msg: string; missing?: string[] }
    if (missing !== undefined) warnings.push(msg)
  }
  const log = pino({ level: 'warn' }, { write })
  const server = await startServer({}, { log, hiddenInternals })
  for (const transport of ['websocket', 'polling']) {
    const client = await waitForConnect(server.client({ transports: [transport] }))
    const received = nextEvent<[ChatMessage]>(client, events.receiveMessage)
    client.emit(events.sendMessage, message)
    expect((await received)[0].message).toBe('hello')
  }
  return warnings
}

test('FANOUT-5 the installed libraries have all internals that the fast path requires', async () => {
  expect(detectCapabilities().missing).toStrictEqual([])
  expect(await warningsWhileChatting()).toStrictEqual([])
})

test('FANOUT-5 when a library lacks an internal of the fast path, the server uses the slow path and logs a warning', async () => {
  const { Sender } = ws as unknown as { Sender: { prototype: { _bufferedBytes?: number } } }
  Object.defineProperty(Sender.prototype, '_bufferedBytes', {
    configurable: true,
    get: () => undefined,
    set() {},
  })
  onTestFinished(() => {
    delete Sender.prototype._bufferedBytes
  })
  expect(detectCapabilities()).toMatchObject({
    missing: ['ws Sender._bufferedBytes'],
    capabilities: { directWrites: false },
  })
  expect(await warningsWhileChatting()).toStrictEqual([expect.stringContaining('fast path disabled')])
})

test('FANOUT-5 a missing Engine.IO flush is detected, and on the slow path nothing is held back', async () => {
  const flush = Object.getOwnPropertyDescriptor(EngineSocket.prototype, 'flush') as PropertyDescriptor
  delete (EngineSocket.prototype as unknown as { flush?: unknown }).flush
  onTestFinished(() => void Object.defineProperty(EngineSocket.prototype, 'flush', flush))
  expect(detectCapabilities().missing).toContain('Engine.IO Socket.flush')
  Object.defineProperty(EngineSocket.prototype, 'flush', flush)

  const { join } = await startEngine()
  const { raw, conn } = await join()
  const acks = createAckBatch({ ...capabilities, batchedAcks: false })
  acks.gather(() => {
    acks.join(conn)
    conn.write('a')
  })
  await raw.waitForPacket('4a')
})

test.each(internalNames)(
  'FANOUT-5 without %s the server starts, warns, and delivers messages over both transports',
  async (name) => {
    expect(detectCapabilities([name]).missing).toStrictEqual([name])
    expect(Object.values(detectCapabilities([name]).capabilities)).toContain(false)
    expect(await warningsWhileChatting([name])).toStrictEqual([expect.stringContaining('fast path disabled')])
  },
)

test('FANOUT-5 the fast path bypasses Engine.IO when its buffer is empty and never overtakes buffered packets', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  const throughEngine: unknown[] = []
  conn.on('packetCreate', (packet: { data: unknown }) => throughEngine.push(packet.data))
  const writer = createSocketWriter(capabilities)
  writer.write(
    [conn],
    encodePackets(() => ['a', 'b']),
  )
  expect(throughEngine).toStrictEqual([])
  conn.write('c')
  conn.write('d')
  writer.write(
    [conn],
    encodePackets(() => ['e', 'f']),
  )
  expect(throughEngine).toStrictEqual(['c', 'd', 'e'])
  await raw.waitForPacket('4f')
  await writer.writeAndDrain(
    conn,
    encodePackets(() => ['g', 'h']),
  )
  writer.write(
    [conn],
    encodePackets(() => ['i']),
  )
  expect(throughEngine).toStrictEqual(['c', 'd', 'e', 'g'])
  await raw.waitForPacket('4i')
  expect(raw.packets.slice(1).join('')).toBe('4a4b4c4d4e4f4g4h4i')
})

test('FANOUT-3 batched packets leave in one write, in order, and before later writes', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  const { _socket: tcp } = (conn.transport as unknown as { socket: { _socket: Socket } }).socket
  const writes = vi.spyOn(tcp as unknown as { _writeGeneric: () => void }, '_writeGeneric')
  const acks = createAckBatch(capabilities)
  acks.gather(() => {
    for (const packet of ['a', 'b', 'c']) {
      acks.join(conn)
      conn.write(packet)
    }
    expect(writes).not.toHaveBeenCalled()
  })
  expect(writes).toHaveBeenCalledTimes(1)
  createSocketWriter(capabilities).write(
    [conn],
    encodePackets(() => ['d']),
  )
  await raw.waitForPacket('4d')
  conn.write('e')
  await raw.waitForPacket('4e')
  expect(raw.packets.slice(1).join('')).toBe('4a4b4c4d4e')
})

test('FANOUT-3 an ack outside of a batch, as when the queue is full, is written immediately', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  createAckBatch(capabilities).join(conn)
  conn.write('rejected')
  await raw.waitForPacket('4rejected')
})
