import type { Socket } from 'node:net'
import { Socket as EngineSocket } from 'engine.io'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as ws from 'ws'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { createAckBatch } from '../../server/transport/fast-path/ack-batch.ts'
import { encodePackets } from '../../server/room/deliver/encoded-packets.ts'
import {
  detectFastPath,
  fastPathInternals,
  requiredInternals,
} from '../../server/transport/fast-path/library-internals.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'
import { waitForConnect, nextEvent } from '../support/socket-events.ts'
import { startServer } from '../support/start-server.ts'

const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }

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
  expect(detectFastPath()).toStrictEqual({ hasFastPath: true, missing: [] })
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
  expect(detectFastPath()).toStrictEqual({ hasFastPath: false, missing: ['ws Sender._bufferedBytes'] })
  expect(await warningsWhileChatting()).toStrictEqual([expect.stringContaining('fast path disabled')])
})

test('FANOUT-5 a missing Engine.IO flush prevents the start, and on the slow path nothing is held back', async () => {
  const flush = Object.getOwnPropertyDescriptor(EngineSocket.prototype, 'flush') as PropertyDescriptor
  delete (EngineSocket.prototype as unknown as { flush?: unknown }).flush
  onTestFinished(() => void Object.defineProperty(EngineSocket.prototype, 'flush', flush))
  expect(() => detectFastPath()).toThrow('Engine.IO Socket.flush')
  Object.defineProperty(EngineSocket.prototype, 'flush', flush)

  const { join } = await startEngine()
  const { raw, conn } = await join()
  const acks = createAckBatch(false)
  acks.gather(() => {
    acks.join(conn)
    conn.write('a')
  })
  await raw.waitForPacket('4a')
})

test('FANOUT-5 without the fast path the server warns once and delivers messages over both transports', async () => {
  expect(await warningsWhileChatting(fastPathInternals)).toStrictEqual([expect.stringContaining('fast path disabled')])
})

test.each(fastPathInternals)('FANOUT-5 without %s the server uses the slow path', (name) => {
  expect(detectFastPath([name])).toStrictEqual({ hasFastPath: false, missing: [name] })
})

test.each(requiredInternals)('FANOUT-5 without %s, on which a limit depends, the server does not start', (name) => {
  expect(() => detectFastPath([name])).toThrow(name)
})

test('FANOUT-5 the fast path bypasses Engine.IO when its buffer is empty and never overtakes buffered packets', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  const throughEngine: unknown[] = []
  conn.on('packetCreate', (packet: { data: unknown }) => throughEngine.push(packet.data))
  const writer = createSocketWriter(true)
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
  const acks = createAckBatch(true)
  acks.gather(() => {
    for (const packet of ['a', 'b', 'c']) {
      acks.join(conn)
      conn.write(packet)
    }
    expect(writes).not.toHaveBeenCalled()
  })
  expect(writes).toHaveBeenCalledTimes(1)
  createSocketWriter(true).write(
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
  createAckBatch(true).join(conn)
  conn.write('rejected')
  await raw.waitForPacket('4rejected')
})
