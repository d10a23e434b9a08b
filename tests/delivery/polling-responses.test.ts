import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Socket as EngineSocket } from 'engine.io'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { socketPath } from '../../contract/routes.ts'
import { createGuard } from '../../server/base/error-guard.ts'
import { networksOf } from '../../server/limits/addresses.ts'
import { networkTurnMs } from '../../server/limits/input-turns.ts'
import { encodePackets } from '../../server/room/deliver/encoded-packets.ts'
import { framesOf } from '../../server/transport/fast-path/frames.ts'
import { createPollingResponses, maxPacketsPerResponse } from '../../server/transport/fast-path/polling-responses.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { createGuardedWriter } from '../../server/transport/sockets/guarded-writer.ts'
import { startServer } from '../support/start-server.ts'
import { nextEvent } from '../support/socket-events.ts'
import { ignoreEvents } from '../../server/observe/events.suite.ts'
import { startEngine } from './engine-connections.ts'
import { openRawPolling } from './raw-polling.ts'

const guard = createGuard(ignoreEvents)
const attacker = networksOf('198.51.100.1')
const message: ChatMessage = { username: 'alice', message: 'hello', createdTime: 1 }
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('WIRE-4 during replay, live delivery and acknowledgements no polling response has more than 16 packets, and all are in order', async () => {
  const server = await startServer({ MESSAGES_PER_SECOND: '0', MESSAGES_PER_SECOND_PER_IP: '0' })
  const sender = server.client({ auth: { channel: 'messages' } })
  const [start] = await nextEvent<[Cursor]>(sender, events.cursor)
  const send = (count: number) =>
    Promise.all(upTo(count).map(() => sender.emitWithAck(events.sendMessage, message) as Promise<unknown>))
  await send(300)
  const poller = await openRawPolling(server.url, { cursor: start, deltas: true })
  const seqs: number[] = []
  const acks: string[] = []
  const sizes: number[] = []
  async function readUpTo(seq: number): Promise<void> {
    while ((seqs.at(-1) ?? 0) < seq) {
      const packets = await poller.poll()
      sizes.push(packets.length)
      for (const packet of packets) {
        if (packet === '2') await poller.post('3')
        if (packet.startsWith('43')) acks.push(packet.slice(2))
        if (!packet.startsWith(`42["${events.receiveMessage}"`)) continue
        const [, , position] = JSON.parse(packet.slice(2)) as [string, ChatMessage, Cursor]
        seqs.push(position.seq)
      }
    }
  }
  await readUpTo(300)
  const own = upTo(20).map((id) => `42${id}${JSON.stringify([events.sendMessage, message])}`)
  await poller.post(own.join('\x1e'))
  await send(280)
  await readUpTo(600)

  expect(seqs).toStrictEqual(upTo(600))
  expect(acks.map((ack) => Number.parseInt(ack, 10))).toStrictEqual(upTo(20))
  expect(Math.max(...sizes)).toBe(16)
})

/** Opens a polling connection of Engine.IO, whose responses `boundResponses` limits, and returns both ends. */
async function join(boundResponses = createPollingResponses({ networksOf: () => null, guard, report: ignoreEvents })) {
  const { url, engine } = await startEngine()
  const arrived = once(engine, 'connection') as Promise<[EngineSocket]>
  const raw = await openRawPolling(url)
  const [conn] = await arrived
  boundResponses(conn)
  // The first poll gets the response to CONNECT.
  expect(await raw.poll()).toHaveLength(1)
  return { url, raw, conn }
}

const texts = upTo(40).map(String)
const packetsOf = (from: number, to: number) => texts.slice(from, to).map((text) => `4${text}`)

test('WIRE-4 a connection that is closed with packets waiting receives all of them, then CLOSE', async () => {
  const { raw, conn } = await join()
  const taken: string[] = []
  for (const text of texts) conn.write(text, {}, () => taken.push(text))
  conn.close()
  expect(await raw.poll()).toStrictEqual(packetsOf(0, 16))
  expect(taken).toStrictEqual(texts.slice(0, 16))
  expect(await raw.poll()).toStrictEqual(packetsOf(16, 32))
  expect(await raw.poll()).toStrictEqual(packetsOf(32, 40))
  expect(taken).toStrictEqual(texts)
  expect(conn.readyState).toBe('closing')
  expect((await raw.poll()).at(-1)).toBe('1')
  expect(conn.readyState).toBe('closed')
})

test('WIRE-4 packets that wait during an upgrade to WebSocket follow there, in order', async () => {
  const { url, raw, conn } = await join()
  const taken: string[] = []
  for (const text of texts) conn.write(text, {}, () => taken.push(text))
  expect(await raw.poll()).toStrictEqual(packetsOf(0, 16))
  const webSocket = new WebSocket(`${url.replace('http', 'ws')}${socketPath}?EIO=4&transport=websocket&sid=${raw.sid}`)
  onTestFinished(() => webSocket.terminate())
  const received: string[] = []
  webSocket.on('message', (data: Buffer) => received.push(data.toString()))
  await once(webSocket, 'open')
  webSocket.send('2probe')
  await expect.poll(() => received).toStrictEqual(['3probe'])
  webSocket.send('5')
  await expect.poll(() => received.slice(1)).toStrictEqual(packetsOf(16, 40))
  await expect.poll(() => taken).toStrictEqual(texts)
})

test('WIRE-4 a ping that waits behind other packets does not time out a client that polls', async () => {
  const { raw, conn } = await join()
  for (const text of texts) conn.write(text)
  const pingTimeoutTimer = { refresh: vi.fn() }
  Object.assign(conn, { pingTimeoutTimer })
  await raw.poll()
  await raw.poll()
  expect(pingTimeoutTimer.refresh).toHaveBeenCalledTimes(2)
})

test('FANOUT-1 a polling client makes progress with each response of a long page and has drained after the last one', async () => {
  const { raw, conn } = await join()
  const writer = createSocketWriter(true)
  const page = encodePackets(() => texts)
  const onDrained = vi.fn()
  const drained = writer.writeAndDrain(conn, page).then(onDrained)
  const taken = [writer.sentBytes(conn)]
  for (let waiting = texts.length; waiting > 0; waiting -= maxPacketsPerResponse) {
    expect(onDrained).not.toHaveBeenCalled()
    await raw.poll()
    taken.push(writer.sentBytes(conn))
  }
  await drained
  expect(taken).toStrictEqual([...new Set(taken)].toSorted((a, b) => a - b))
  expect(taken.at(-1)).toBe(framesOf(page).length)
  expect(writer.unreadBytes(conn)).toBe(0)
})

test('FANOUT-1 a polling client gets no live message before it has read the previous one', async () => {
  const { raw, conn } = await join()
  const guardedWriter = createGuardedWriter(createSocketWriter(true), () => undefined)
  onTestFinished(guardedWriter.stop)
  expect(guardedWriter.isBehind(conn)).toBe(false)
  guardedWriter.writeLive(
    [conn],
    encodePackets(() => ['a']),
  )
  expect(guardedWriter.isBehind(conn)).toBe(true)
  await raw.poll()
  await expect.poll(() => guardedWriter.isBehind(conn)).toBe(false)
})

test('SECURITY-3 the responses to the polls of a network take turns, each with all packets that are waiting at that time', async () => {
  const boundResponses = createPollingResponses({ networksOf: () => attacker, guard, report: ignoreEvents })
  const [first, second] = [await join(boundResponses), await join(boundResponses)]
  const polls = [first.raw.poll(), second.raw.poll()]
  await expect.poll(() => first.conn.transport.writable && second.conn.transport.writable).toBe(true)
  first.conn.transport.once('headers', () => {
    const startedMs = performance.now()
    while (performance.now() - startedMs < networkTurnMs);
  })
  first.conn.write('a')
  for (const text of ['b', 'c']) second.conn.write(text)
  expect([first, second].map(({ conn }) => conn.transport.writable)).toStrictEqual([false, true])
  await nextTurn()
  await nextTurn()
  expect(second.conn.transport.writable).toBe(false)
  expect(await Promise.all(polls)).toStrictEqual([['4a'], ['4b', '4c']])
})

test('SECURITY-3 an error in a response that waited for its turn closes only its connection', async () => {
  const failures: unknown[] = []
  const reporting = createGuard((event) => failures.push(event))
  const boundResponses = createPollingResponses({ networksOf: () => attacker, guard: reporting, report: ignoreEvents })
  const [first, second] = [await join(boundResponses), await join(boundResponses)]
  const polls = [first.raw.poll(), second.raw.poll().catch(() => 'aborted')]
  await expect.poll(() => first.conn.transport.writable && second.conn.transport.writable).toBe(true)
  first.conn.transport.once('headers', () => {
    const startedMs = performance.now()
    while (performance.now() - startedMs < networkTurnMs);
  })
  first.conn.write('a')
  second.conn.write('b')
  vi.spyOn(second.conn.transport, 'send').mockImplementationOnce(() => expect.fail('a response failed'))
  await expect.poll(() => second.conn.readyState).toBe('closed')
  expect(failures).toMatchObject([{ type: 'callback-failed', callback: 'polling response' }])
  expect(first.conn.readyState).toBe('open')
  expect(await polls[0]).toStrictEqual(['4a'])
})
