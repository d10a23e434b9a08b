import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { openRawPolling } from './raw-polling.ts'
import { spawnServer, temporaryFolder } from '../support/spawn-server.ts'
import { startServer } from '../support/start-server.ts'

const message = (text: string): ChatMessage => ({ username: 'alice', message: text, createdTime: 1 })
const retention = { RETENTION_MESSAGES: '700', MESSAGES_PER_SECOND: '0', LOG_LEVEL: 'silent' }

async function sendMany(sender: Socket, count: number): Promise<void> {
  const acks = Array.from({ length: count }, (_, index) =>
    sender.emitWithAck(events.sendMessage, message(`number ${index}`)),
  )
  for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
}

test('DELIVERY-4 a cursor before the log bounds is confirmed at the head, and no earlier message follows', async () => {
  const server = await startServer({ ...retention, RETENTION_MESSAGES: '10' })
  const sender = server.client({ auth: { channel: 'messages' } })
  const [start] = await nextEvent<[Cursor]>(sender, events.cursor)
  await sendMany(sender, 30)
  await sendMany(sender, 1)
  const back = server.client({ auth: { channel: 'messages', cursor: { ...start, seq: 1 } } })
  const received = collectSocketEvents<[ChatMessage, Cursor]>(back, events.receiveMessage)
  expect(await nextEvent<[Cursor]>(back, events.cursor)).toStrictEqual([{ ...start, seq: 31 }])
  await sendMany(sender, 1)
  expect((await received.atLeast(1)).map(([, { seq }]) => seq)).toStrictEqual([32])
})

test('DELIVERY-4 when the log is trimmed during a replay, the client is notified of the gap with its new position', async () => {
  const first = await startServer(retention)
  const early = first.client({ auth: { channel: 'messages' } })
  const [start] = await nextEvent<[Cursor]>(early, events.cursor)
  await sendMany(early, 700)
  await first.close()

  const second = await startServer({ ...retention, DATA_DIR: first.dataDir })
  const reader = await openRawPolling(second.url, { channel: 'messages', cursor: start })
  const sender = await waitForConnect(second.client({ auth: { channel: 'messages' } }))
  const got: (number | Cursor)[] = []
  async function readUntil(isLast: (got: number | Cursor) => boolean): Promise<void> {
    for (;;) {
      const packet = await reader.next()
      if (!packet.startsWith('42')) continue
      const [event, ...args] = JSON.parse(packet.slice(2)) as [string, unknown, Cursor]
      const one = event === events.cursor ? (args[0] as Cursor) : args[1].seq
      got.push(one)
      if (isLast(one)) return
    }
  }
  await readUntil((one) => one === 1)
  await sendMany(sender, 1_000)
  await sendMany(sender, 1)
  await readUntil((one) => typeof one === 'object')
  await sendMany(sender, 1)
  await readUntil((one) => one === 1_702)

  const gap = got.findLastIndex((one) => typeof one === 'object')
  expect(got[0]).toStrictEqual(start)
  expect(got.slice(1, gap)).toStrictEqual(Array.from({ length: gap - 1 }, (_, index) => index + 1))
  expect(gap).toBeLessThan(700)
  expect(got.slice(gap)).toStrictEqual([{ ...start, seq: 1_701 }, 1_702])
})

/** Returns the resident memory of a process. */
function residentBytes(pid: number | undefined): number {
  const [, kilobytes = ''] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1_024
}

test('REPLAY-6 with ten clients that never read and resume four times a second, memory stays bounded and others are served', async () => {
  const server = spawnServer({ env: { DATA_DIR: temporaryFolder(), MESSAGES_PER_SECOND: '0' } })
  const url = await server.opened()
  const sender = io(url, { transports: ['websocket'], auth: { positions: true } })
  onTestFinished(() => void sender.close())
  const [start] = await nextEvent<[Cursor]>(sender, events.cursor)
  for (let i = 0; i < 5; i++) {
    const acks = Array.from({ length: 100 }, () => sender.emitWithAck(events.sendMessage, message('😀'.repeat(4_000))))
    for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
  }
  const before = residentBytes(server.pid)
  const nonReaders = await Promise.all(Array.from({ length: 10 }, () => openRawConnection(url)))
  onTestFinished(() => nonReaders.forEach(({ close }) => close()))
  for (const raw of nonReaders) {
    await raw.connect(JSON.stringify({ channel: 'messages', cursor: start }))
    raw.pause()
  }
  const resume = `42${JSON.stringify([events.resume, start])}`
  const resuming = setInterval(() => nonReaders.forEach(({ send }) => send(resume)), 250)
  onTestFinished(() => clearInterval(resuming))
  const [startedAt, acksMs] = [performance.now(), [] as number[]]
  let largest = 0
  while (performance.now() - startedAt < 8_000) {
    const sentAt = performance.now()
    expect(await sender.emitWithAck(events.sendMessage, message('hello'))).toMatchObject({ ok: true })
    acksMs.push(performance.now() - sentAt)
    largest = Math.max(largest, residentBytes(server.pid))
    await wait(20)
  }
  const p99 = acksMs.toSorted((a, b) => a - b).at(Math.floor(acksMs.length * 0.99)) ?? 0
  console.log(`grew by ${Math.round((largest - before) / 1e6)} MB; acks p99 ${Math.round(p99)} ms`)
  expect(largest - before).toBeLessThan(50e6)
  expect(p99).toBeLessThan(2_000)
}, 60_000)
