import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import { maxMessageCharacters } from '../../contract/limits.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { collectEvents } from '../../server/observe/events.suite.ts'
import { encode, encodePackets, specifiedPacketOfEncoded } from '../../server/room/deliver/encoded-packets.ts'
import { createGuardedWriter, maxIdleMs, maxUnreadBytes } from '../../server/transport/sockets/guarded-writer.ts'
import { createSocketWriter } from '../../server/transport/fast-path/socket-writer.ts'
import { startEngine } from './engine-connections.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { openRawPolling } from './raw-polling.ts'
import { openSlowLink } from './slow-link.ts'
import { startServer, type TestServer } from '../support/start-server.ts'

type Received = [ChatMessage, Cursor]

const large: ChatMessage = { username: 'alice', message: '😀'.repeat(maxMessageCharacters), createdTime: 1 }

const largePacket = specifiedPacketOfEncoded(events.receiveMessage, encode(large))

async function startBusyRoom() {
  const server = await startServer({ MESSAGES_PER_SECOND: '0', LOG_LEVEL: 'silent' })
  const sender = await waitForConnect(server.client({ auth: { channel: 'messages' } }))
  const reader = server.client({ auth: { channel: 'messages' } })
  const received = collectSocketEvents<Received>(reader, events.receiveMessage)
  await nextEvent(reader, events.cursor)
  const watcher = server.client({ auth: { channel: 'presence' } })
  let online: string[] = []
  watcher.on(events.onlineUsers, (list: string[]) => (online = list))
  return { server, sender, received, online: () => online }
}

/**
 * Sends batches of ten messages until this socket is offline. Returns the number of messages and the time of the
 * slowest batch.
 */
async function sendUntilGone(sender: Socket, online: () => string[], id: string) {
  await expect.poll(online).toContain(id)
  let [sent, slowestMs] = [0, 0]
  const floodStartedAt = performance.now()
  while (online().includes(id)) {
    if (performance.now() - floodStartedAt > 30_000) throw new Error(`${id} is still online after ${sent} messages`)
    await wait(40)
    const startedAt = performance.now()
    const acks = Array.from({ length: 10 }, () => sender.emitWithAck(events.sendMessage, large))
    for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
    sent += acks.length
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
  }
  return { sent, slowestMs }
}

async function resumedSeqs(server: TestServer, cursor: Cursor, count: number): Promise<number[]> {
  const back = server.client({ auth: { channel: 'messages', cursor } })
  const received = collectSocketEvents<Received>(back, events.receiveMessage)
  await received.atLeast(count, 30_000)
  return received.seen.map(([, { seq }]) => seq)
}

test('FANOUT-1 a slow consumer in a busy room is closed and resumes without loss, and other clients stay fast', async () => {
  const { server, sender, received, online } = await startBusyRoom()
  const raw = await openRawConnection(server.url)
  onTestFinished(raw.close)
  const { sid } = JSON.parse((await raw.connect('{"channel":"messages"}')).slice(2)) as { sid: string }
  const [, cursor] = JSON.parse((await raw.waitForPacket('42["cursor"')).slice(2)) as [string, Cursor]
  raw.pause()

  const { sent, slowestMs } = await sendUntilGone(sender, online, sid)
  console.log(`closed after ${sent} messages of 16 kB; slowest ten acks ${Math.round(slowestMs)} ms`)
  expect(slowestMs).toBeLessThan(5_000)
  await received.atLeast(sent, 30_000)
  const all = Array.from({ length: sent }, (_, index) => index + 1)
  expect(received.seen.map(([, { seq }]) => seq)).toStrictEqual(all)
  expect(await resumedSeqs(server, cursor, sent)).toStrictEqual(all)
})

test('FANOUT-1 a polling client that stops polling in a busy room is closed and resumes without loss', async () => {
  const { server, sender, online } = await startBusyRoom()
  const raw = await openRawPolling(server.url, { channel: 'messages' })
  const [connect, place] = [await raw.next(), await raw.next()]
  const { sid: socketId } = JSON.parse(connect.slice(2)) as { sid: string }
  const { sent } = await sendUntilGone(sender, online, socketId)
  const [, cursor] = JSON.parse(place.slice(2)) as [string, Cursor]
  expect(await resumedSeqs(server, cursor, sent)).toHaveLength(sent)
})

test('FANOUT-1 a client that reads 1 MB/s stays connected through a burst of 12 MB and misses nothing', async () => {
  const { server, sender } = await startBusyRoom()
  const link = await openSlowLink(Number(new URL(server.url).port), 1_000_000)
  const reader = io(`http://127.0.0.1:${link.port}`, { transports: ['websocket'], auth: { positions: true } })
  onTestFinished(() => void reader.close())
  const ended = collectSocketEvents<[string]>(reader, 'disconnect')
  const received = collectSocketEvents<Received>(reader, events.receiveMessage)
  await nextEvent(reader, events.cursor)
  // Use the longest message, in characters with the most bytes.
  const longest: ChatMessage = { ...large, message: '😀'.repeat(maxMessageCharacters) }
  const acks = Array.from({ length: 750 }, () => sender.emitWithAck(events.sendMessage, longest))
  for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
  await received.atLeast(750, 60_000)
  expect(received.seen.map(([, { seq }]) => seq)).toStrictEqual(Array.from({ length: 750 }, (_, index) => index + 1))
  expect(ended.seen).toStrictEqual([])
})

test('FANOUT-1 a client that reads nothing for ten seconds is closed, even with few unread bytes; a slow client is not', async () => {
  const { join } = await startEngine()
  const { report, of } = collectEvents()
  const writer = createSocketWriter(true)
  const guardedWriter = createGuardedWriter(writer, report)
  onTestFinished(guardedWriter.stop)
  const packets = encodePackets(() => [largePacket])

  const [stuck, slow] = [await join(), await join()]
  slow.raw.pause()
  // The page has more bytes than the client reads in the whole test, so that its connection never drains.
  const page = encodePackets(() => Array.from({ length: 60 }, () => largePacket))
  for (let i = 0; i < 40; i++) void guardedWriter.writePage(slow.conn, page)
  const readTimer = setInterval(slow.raw.readOne, 250)
  onTestFinished(() => clearInterval(readTimer))
  stuck.raw.pause()
  while (writer.unreadBytes(stuck.conn) < 256 * 1_024) {
    guardedWriter.write([stuck.conn], packets)
    await new Promise(setImmediate)
  }
  const startedAt = performance.now()
  await once(stuck.conn, 'close')
  expect(performance.now() - startedAt).toBeGreaterThan(maxIdleMs - 1_000)
  expect(performance.now() - startedAt).toBeLessThan(2 * maxIdleMs)
  expect(of('slow-consumer-closed').map(({ reason }) => reason)).toStrictEqual(['unwritable'])
  expect(writer.unreadBytes(slow.conn)).toBeGreaterThan(maxUnreadBytes)
  expect([stuck.conn.readyState, slow.conn.readyState]).toStrictEqual(['closed', 'open'])
})
