import type { Socket } from 'node:net'
import { Socket as EngineSocket } from 'engine.io'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import * as ws from 'ws'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { createAckBatch } from '../../server/transport/fast-path/ack-batch.ts'
import { encodePackets } from '../../server/room/deliver/encoded-packets.ts'
import { insideNames, lookInside } from '../../server/transport/fast-path/library-internals.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'
import { connected, nextEvent } from '../support/listening.ts'
import { startServer } from '../support/start-server.ts'

const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }

const { abilities } = lookInside()

/** What the log says about the libraries' insides while people chat over both transports. */
async function warningsOfARoomThatWorks(hiddenInsides: readonly string[] = []): Promise<string[]> {
  const warnings: string[] = []
  function write(line: string): void {
    const { msg, missing } = JSON.parse(line) as { msg: string; missing?: string[] }
    if (missing !== undefined) warnings.push(msg)
  }
  const log = pino({ level: 'warn' }, { write })
  const server = await startServer({}, { log, hiddenInsides })
  for (const transport of ['websocket', 'polling']) {
    const client = await connected(server.client({ transports: [transport] }))
    const received = nextEvent<[ChatMessage]>(client, events.receiveMessage)
    client.emit(events.sendMessage, message)
    expect((await received)[0].message).toBe('hello')
  }
  return warnings
}

test('FANOUT-5 the libraries at hand are those that the direct path was written for', async () => {
  expect(lookInside().missing).toStrictEqual([])
  expect(await warningsOfARoomThatWorks()).toStrictEqual([])
})

test('FANOUT-5 when an update has changed what the direct path relies on, the ordinary path serves, with a warning', async () => {
  const { Sender } = ws as unknown as { Sender: { prototype: { _bufferedBytes?: number } } }
  Object.defineProperty(Sender.prototype, '_bufferedBytes', {
    configurable: true,
    get: () => undefined,
    set() {},
  })
  onTestFinished(() => {
    delete Sender.prototype._bufferedBytes
  })
  expect(lookInside()).toMatchObject({ missing: ['ws Sender._bufferedBytes'], abilities: { directWrites: false } })
  expect(await warningsOfARoomThatWorks()).toStrictEqual([expect.stringContaining('ordinary way')])
})

test('FANOUT-5 an Engine.IO that cannot be told to flush is noticed, and on the ordinary path nothing is held', async () => {
  const flush = Object.getOwnPropertyDescriptor(EngineSocket.prototype, 'flush') as PropertyDescriptor
  delete (EngineSocket.prototype as unknown as { flush?: unknown }).flush
  onTestFinished(() => void Object.defineProperty(EngineSocket.prototype, 'flush', flush))
  expect(lookInside().missing).toContain('Engine.IO Socket.flush')
  Object.defineProperty(EngineSocket.prototype, 'flush', flush)

  const { join } = await startEngine()
  const { raw, conn } = await join()
  const answers = createAckBatch({ ...abilities, gatheredAnswers: false })
  answers.gather(() => {
    answers.join(conn)
    conn.write('a')
  })
  await raw.packetThatBegins('4a')
})

test.each(insideNames)('FANOUT-5 without %s the server starts, warns, and chats over both transports', async (name) => {
  expect(lookInside([name]).missing).toStrictEqual([name])
  expect(Object.values(lookInside([name]).abilities)).toContain(false)
  expect(await warningsOfARoomThatWorks([name])).toStrictEqual([expect.stringContaining('ordinary way')])
})

test('FANOUT-5 the direct path goes past Engine.IO when nothing waits there, and never overtakes what does', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  const throughEngine: unknown[] = []
  conn.on('packetCreate', (packet: { data: unknown }) => throughEngine.push(packet.data))
  const writer = createSocketWriter(abilities)
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
  await raw.packetThatBegins('4f')
  await writer.writeAndDrain(
    conn,
    encodePackets(() => ['g', 'h']),
  )
  writer.write(
    [conn],
    encodePackets(() => ['i']),
  )
  expect(throughEngine).toStrictEqual(['c', 'd', 'e', 'g'])
  await raw.packetThatBegins('4i')
  expect(raw.packets.slice(1).join('')).toBe('4a4b4c4d4e4f4g4h4i')
})

test('FANOUT-3 what is held leaves in one write, in order, and before what is written after it', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  const { _socket: tcp } = (conn.transport as unknown as { socket: { _socket: Socket } }).socket
  const writes = vi.spyOn(tcp as unknown as { _writeGeneric: () => void }, '_writeGeneric')
  const answers = createAckBatch(abilities)
  answers.gather(() => {
    for (const packet of ['a', 'b', 'c']) {
      answers.join(conn)
      conn.write(packet)
    }
    expect(writes).not.toHaveBeenCalled()
  })
  expect(writes).toHaveBeenCalledTimes(1)
  createSocketWriter(abilities).write(
    [conn],
    encodePackets(() => ['d']),
  )
  await raw.packetThatBegins('4d')
  conn.write('e')
  await raw.packetThatBegins('4e')
  expect(raw.packets.slice(1).join('')).toBe('4a4b4c4d4e')
})

test('FANOUT-3 an answer outside of a flush, as when the queue is full, leaves at once', async () => {
  const { join } = await startEngine()
  const { raw, conn } = await join()
  createAckBatch(abilities).join(conn)
  conn.write('refused')
  await raw.packetThatBegins('4refused')
})
