import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { RejectionError } from '../../base/rejection-error.ts'
import { entry } from '../message-log.suite.ts'
import type { LogEntry, MessageLog, StoredMessage } from '../message-log.ts'
import { collectEvents, ignoreEvents } from '../../observe/events.suite.ts'
import { encodePayload } from '../deliver/message-packets.ts'
import { flushWindowMs } from './flush-scheduler.ts'
import { createRoom } from './room.ts'
import { maxFlushBytes, maxQueuedBytes } from './send-queue.ts'
import { ignoreStoreEvents } from '../../storage/sqlite/store-events.suite.ts'
import { openSqliteLog } from '../../storage/sqlite/log/sqlite-log.ts'

const roomDeps = {
  report: ignoreEvents,
  batchAcks: (acknowledgeAll: () => void) => acknowledgeAll(),
  fanOutDone: () => Promise.resolve(),
  faultPoint: () => undefined,
}

async function openRoom() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-room-'))
  const file = join(folder, 'log.sqlite')
  const published: StoredMessage[] = []
  const batches: number[] = []
  const log = await openSqliteLog(file, { maxAgeMs: 3_600_000, maxMessages: 100_000 }, ignoreStoreEvents)
  log.subscribe({
    onStored({ messages }) {
      published.push(...messages)
      batches.push(messages.reduce((bytes, { message }) => bytes + Buffer.byteLength(encodePayload(message)), 0))
    },
    onLogBroken: () => undefined,
  })
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { report, types } = collectEvents()
  const room = createRoom(log, { ...roomDeps, report })
  const storage = () => types().filter((type) => type.startsWith('storage-'))
  let settled = 0
  const post = (one: LogEntry): Promise<number | string> =>
    new Promise((resolve) => {
      room.post(one, (result) => {
        settled++
        resolve(result instanceof RejectionError ? result.code : result)
      })
    })
  return { room, log, file, post, published, batches, storage, settled: () => settled }
}

test('DELIVERY-1 what is settled with a seq is stored, and broadcast in the order of the log', async () => {
  const { log, post, published } = await openRoom()
  const settled = await Promise.all(Array.from({ length: 50 }, (_, index) => post(entry(`message ${index}`))))
  expect(settled).toStrictEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  expect(
    await log.readAfter({ epoch: log.bounds().epoch, seq: 0 }, { maxMessages: 100, maxCharacters: 10_000 }),
  ).toStrictEqual(published)
})

test('DELIVERY-2 a repeat is settled with the first seq and broadcast once; a conflict and an expired one never', async () => {
  const { post, published } = await openRoom()
  const id = randomUUID()
  expect(
    await Promise.all([
      post(entry('once', { id })),
      post(entry('once', { id })),
      post(entry('other', { id })),
      post(entry('late', { id: randomUUID(), after: { epoch: 'another', seq: 0 } })),
    ]),
  ).toStrictEqual([1, 1, 'id_conflict', 'expired'])
  expect(await post(entry('once', { id }))).toBe(1)
  expect(published.map(({ message }) => message.message)).toStrictEqual(['once'])
})

test('DELIVERY-1 when storage is away each is refused as unavailable, said once, and so is its return', async () => {
  const { room, file, post, published, storage } = await openRoom()
  const other = new DatabaseSync(file)
  other.exec('BEGIN EXCLUSIVE')
  expect(await Promise.all([post(entry('a')), post(entry('b'))])).toStrictEqual(['unavailable', 'unavailable'])
  expect(await Promise.all([room.isWritable(), room.isWritable()])).toStrictEqual([false, false])
  other.close()
  expect(await room.isWritable()).toBe(true)
  expect(storage()).toStrictEqual(['storage-unavailable', 'storage-available'])
  expect(await post(entry('c'))).toBe(1)
  expect(published.map(({ message }) => message.message)).toStrictEqual(['c'])
}, 20_000)

test('DELIVERY-2 beyond ten thousand that wait, the next is refused at once; each is settled once', async () => {
  const { room, post, settled } = await openRoom()
  const waiting = Array.from({ length: 10_000 }, () => post(entry('x')))
  expect(await post(entry('one too many'))).toBe('unavailable')
  expect((await Promise.all(waiting)).at(-1)).toBe(10_000)
  await room.close()
  expect(settled()).toBe(10_001)
}, 20_000)

test('FANOUT-6 a burst is cut: no flush is larger than its limit, none of it is lost, and its order stays', async () => {
  const { post, published, batches } = await openRoom()
  // As JSON each is 24 kB: control characters take six bytes there.
  const burst = Array.from({ length: 60 }, (_, index) => post(entry(`${index}${'\u0001'.repeat(3_990)}`)))
  const small = post(entry('behind the burst'))
  expect(await Promise.all([...burst, small])).toStrictEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  expect(published.map(({ seq }) => seq)).toStrictEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  expect(Math.max(...batches)).toBeLessThanOrEqual(maxFlushBytes)
  expect(batches.length).toBeLessThan(10)
})

test('FANOUT-6 what waits is bounded in bytes, and one too many is answered at once', async () => {
  const { room, post } = await openRoom()
  const large = entry('\u0001'.repeat(4_000))
  const fits = Math.floor(maxQueuedBytes / 25_000)
  const waiting = Array.from({ length: fits }, () => post(large))
  const beyond = await Promise.all(Array.from({ length: 100 }, () => post(large)))
  expect(beyond).toContain('unavailable')
  expect(new Set(await Promise.all(waiting)).size).toBe(fits)
  await room.close()
}, 60_000)

test('DELIVERY-7 closing stores and settles what still waits', async () => {
  const { room, log, post, published } = await openRoom()
  const settled = Promise.all([post(entry('a')), post(entry('b'))])
  await room.close()
  expect(await settled).toStrictEqual([1, 2])
  expect(log.bounds().head).toBe(2)
  expect(published).toHaveLength(2)
})

test('DELIVERY-7 a message that is sent after the room is closed is rejected as unavailable', async () => {
  const { room, post } = await openRoom()
  await room.close()
  expect(await post(entry('late'))).toBe('unavailable')
})

test('FANOUT-4 waiting for the disk holds nobody up: the next flush begins as soon as its window allows', async () => {
  const diskMs = 150
  const spans: { from: number; to: number }[] = []
  const slowLog: MessageLog = {
    bounds: () => ({ epoch: 'slow', oldest: 1, head: 0 }),
    subscribe: () => undefined,
    async append(entries, acknowledge) {
      const from = performance.now()
      await wait(diskMs)
      spans.push({ from, to: performance.now() })
      acknowledge(entries.map((_, index) => ({ seq: spans.length * 10 + index, repeated: false })))
    },
    catchUp: () => null,
    fetchHead: () => null,
    readAfter: () => Promise.resolve([]),
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }
  const room = createRoom(slowLog, roomDeps)
  const settled = (text: string) => new Promise((resolve) => room.post(entry(text), resolve))
  const first = settled('first')
  await wait(diskMs / 3)
  await Promise.all([first, settled('second')])
  const [one, two] = spans
  expect((two?.from ?? 0) - (one?.to ?? 0)).toBeLessThan(diskMs / 2)
  expect((two?.from ?? 0) - (one?.from ?? 0)).toBeGreaterThanOrEqual(flushWindowMs)
})
