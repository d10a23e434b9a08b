import { io, type Socket } from 'socket.io-client'
import { expect, onTestFinished, test } from 'vitest'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { waitForConnect, collectSocketEvents, nextEvent } from '../support/socket-events.ts'
import { openRawConnection } from '../support/raw-connection.ts'
import { openRawPolling } from './raw-polling.ts'
import { serverEntry } from '../support/server-entry.ts'
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

test('DELIVERY-4 a cursor before the log bounds is moved to just before the oldest message, and all retained messages follow', async () => {
  const server = await startServer({ ...retention, RETENTION_MESSAGES: '10' })
  const sender = server.client({ auth: { channel: 'messages' } })
  const [start] = await nextEvent<[Cursor]>(sender, events.cursor)
  await sendMany(sender, 30)
  await sendMany(sender, 1)
  const back = server.client({ auth: { channel: 'messages', cursor: { ...start, seq: 1 } } })
  const received = collectSocketEvents<[ChatMessage, Cursor]>(back, events.receiveMessage)
  expect(await nextEvent(back, events.cursor)).toStrictEqual([{ ...start, seq: 21 }, { head: 31 }])
  await sendMany(sender, 1)
  const seqs = (await received.atLeast(11)).map(([, { seq }]) => seq)
  expect(seqs).toStrictEqual(Array.from({ length: 11 }, (_, index) => 22 + index))
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
  const retained = Array.from({ length: 701 }, (_, index) => 1_002 + index)
  expect(got[gap]).toMatchObject({ epoch: start.epoch, seq: 1_001 })
  expect(got.slice(gap + 1)).toStrictEqual(retained)
})

/** Script that runs inside the server: SIGUSR2 collects garbage and prints the bytes that remain in memory. */
const probe = `
  process.on('SIGUSR2', () => {
    gc()
    const { heapUsed, external } = process.memoryUsage()
    process.stderr.write(heapUsed + external + '\\n')
  })
`

async function readRetainedBytes({ output, kill }: ReturnType<typeof spawnServer>): Promise<number> {
  const before = output.stderr.length
  kill('SIGUSR2')
  await expect.poll(() => output.stderr.slice(before)).toMatch(/^\d+\n$/)
  return Number(output.stderr.slice(before))
}

test('REPLAY-6 with ten clients that never read and resume repeatedly, memory stays bounded and others are served', async () => {
  const server = spawnServer({
    command: [
      process.execPath,
      '--expose-gc',
      '--import',
      `data:text/javascript,${encodeURIComponent(probe)}`,
      serverEntry,
    ],
    env: { DATA_DIR: temporaryFolder(), MESSAGES_PER_SECOND: '0' },
  })
  const url = await server.opened()
  const sender = io(url, { transports: ['websocket'], auth: { positions: true } })
  onTestFinished(() => void sender.close())
  const [start] = await nextEvent<[Cursor]>(sender, events.cursor)
  for (let i = 0; i < 5; i++) {
    const acks = Array.from({ length: 100 }, () => sender.emitWithAck(events.sendMessage, message('😀'.repeat(4_000))))
    for (const ack of await Promise.all(acks)) expect(ack).toMatchObject({ ok: true })
  }
  const before = await readRetainedBytes(server)
  const nonReaders = await Promise.all(Array.from({ length: 10 }, () => openRawConnection(url)))
  onTestFinished(() => nonReaders.forEach(({ close }) => close()))
  for (const raw of nonReaders) {
    await raw.connect(JSON.stringify({ channel: 'messages', cursor: start }))
    raw.pause()
  }
  const resume = `42${JSON.stringify([events.resume, start])}`
  // Without the limit, each round would retain 80 MB of pages. A page that is being written, or whose memory V8 frees
  // in the background, is released soon, so the test limits only the memory that remains.
  const addedBytes = async () => (await readRetainedBytes(server)) - before
  for (let round = 0; round < 20; round++) {
    for (const { send } of nonReaders) send(resume)
    expect(await sender.timeout(30_000).emitWithAck(events.sendMessage, message('hello'))).toMatchObject({ ok: true })
    await expect.poll(addedBytes).toBeLessThan(50e6)
  }
})
