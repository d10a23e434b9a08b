import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { RejectionError } from '../../base/rejection-error.ts'
import { entry } from '../log-fixture.suite.ts'
import type { LogEntry, MessageLog, StoredMessage } from '../message-log.ts'
import { collectEvents, ignoreEvents } from '../../observe/events.suite.ts'
import { encodePayload } from '../deliver/message-packets.ts'
import { flushWindowMs } from './flush-scheduler.ts'
import { createRoom } from './room.ts'
import { maxFlushBytes, maxQueuedBytes, type QueuedMessage } from './send-queue.ts'
import { ignoreStoreCallbacks } from '../../storage/sqlite/store-callbacks.suite.ts'
import { openSqliteLog } from '../../storage/sqlite/log/sqlite-log.ts'

const roomDeps = {
  report: ignoreEvents,
  batchAcks: (acknowledgeAll: () => void) => acknowledgeAll(),
  fanOutDone: () => Promise.resolve(),
  subscriberCount: () => 0,
  faultPoint: () => undefined,
}

const network = null
const isAllowed = () => true
const onStored = () => undefined

async function openRoom() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-room-'))
  const file = join(folder, 'log.sqlite')
  const published: StoredMessage[] = []
  const batches: number[] = []
  const log = await openSqliteLog(file, { maxAgeMs: 3_600_000, maxMessages: 100_000 }, ignoreStoreCallbacks)
  log.subscribe({
    onStored({ messages }) {
      published.push(...messages)
      batches.push(messages.reduce((bytes, { message }) => bytes + Buffer.byteLength(encodePayload(message)), 0))
    },
    onRemoved: () => undefined,
    onLogBroken: () => undefined,
  })
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const { report, types } = collectEvents()
  const room = createRoom(log, { ...roomDeps, report })
  const storage = () => types().filter((type) => type.startsWith('storage-'))
  let ackCount = 0
  const post = (one: LogEntry): Promise<number | string> =>
    new Promise((resolve) => {
      const acknowledge: QueuedMessage['acknowledge'] = (result) => {
        ackCount++
        resolve(result instanceof RejectionError ? result.code : result)
      }
      room.post({ entry: one, network, acknowledge, onStored, isAllowed })
    })
  return { room, log, file, post, published, batches, storage, ackCount: () => ackCount }
}

test('DELIVERY-1 an acknowledged message is stored, and broadcast in log order', async () => {
  const { log, post, published } = await openRoom()
  const acks = await Promise.all(Array.from({ length: 50 }, (_, index) => post(entry(`message ${index}`))))
  expect(acks).toStrictEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  expect(
    await log.readAfter({ epoch: log.bounds().epoch, seq: 0 }, { maxMessages: 100, maxCharacters: 10_000 }),
  ).toStrictEqual(published)
})

test('SESSIONS-1 the room passes to the log whether each sender is still logged in, and a message that the log rejects is unauthorized', async () => {
  const { log } = await openRoom()
  const room = createRoom(
    {
      ...log,
      async append(entries, acknowledge, isAllowed = () => true) {
        acknowledge(entries.map((_, i) => (isAllowed(i) ? { seq: i, repeated: false } : { rejected: 'unauthorized' })))
      },
    },
    roomDeps,
  )
  const results: unknown[] = []
  const collect = (result: unknown) => void results.push(result instanceof RejectionError ? result.code : result)
  room.post({ entry: entry('anonymous'), network, acknowledge: collect, onStored, isAllowed })
  room.post({ entry: entry('logged out'), network, acknowledge: collect, onStored, isAllowed: () => false })
  room.post({ entry: entry('logged in'), network, acknowledge: collect, onStored, isAllowed })
  await expect.poll(() => results).toStrictEqual([0, 'unauthorized', 2])
})

test('DELIVERY-2 a repeat gets the first seq and is broadcast once; conflicting and expired messages are never broadcast', async () => {
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

test('DELIVERY-1 while storage is unavailable, messages are rejected; the failure and the recovery are reported once', async () => {
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
})

test('DELIVERY-2 with ten thousand queued messages, the next is rejected at once; each is acknowledged once', async () => {
  const { room, post, ackCount } = await openRoom()
  const waiting = Array.from({ length: 10_000 }, () => post(entry('x')))
  expect(await post(entry('one too many'))).toBe('unavailable')
  expect((await Promise.all(waiting)).at(-1)).toBe(10_000)
  await room.close()
  expect(ackCount()).toBe(10_001)
})

test('FANOUT-6 a burst is split into batches within the limit, complete and in order', async () => {
  const { post, published, batches } = await openRoom()
  // Each message is 24 kB of JSON: a control character takes six bytes.
  const burst = Array.from({ length: 60 }, (_, index) => post(entry(`${index}${'\u0001'.repeat(3_990)}`)))
  const small = post(entry('after the burst'))
  expect(await Promise.all([...burst, small])).toStrictEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  expect(published.map(({ seq }) => seq)).toStrictEqual(Array.from({ length: 61 }, (_, index) => index + 1))
  expect(Math.max(...batches)).toBeLessThanOrEqual(maxFlushBytes)
  expect(batches.length).toBeLessThan(10)
})

test('FANOUT-6 the queue is bounded in bytes, and messages above the limit are rejected at once', async () => {
  const { room, post } = await openRoom()
  const large = entry('\u0001'.repeat(4_000))
  const fits = Math.floor(maxQueuedBytes / 25_000)
  const waiting = Array.from({ length: fits }, () => post(large))
  const beyond = await Promise.all(Array.from({ length: 100 }, () => post(large)))
  expect(beyond).toContain('unavailable')
  expect(new Set(await Promise.all(waiting)).size).toBe(fits)
  await room.close()
})

test('DELIVERY-7 close stores and acknowledges queued messages', async () => {
  const { room, log, post, published } = await openRoom()
  const acks = Promise.all([post(entry('a')), post(entry('b'))])
  await room.close()
  expect(await acks).toStrictEqual([1, 2])
  expect(log.bounds().head).toBe(2)
  expect(published).toHaveLength(2)
})

test('DELIVERY-7 a message that is sent after the room is closed is rejected as unavailable', async () => {
  const { room, post } = await openRoom()
  await room.close()
  expect(await post(entry('late'))).toBe('unavailable')
})

test('FANOUT-4 after a slow write, the next flush starts as soon as its window allows', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const diskMs = 150
  const wait = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs))
  const spans: { from: number; to: number }[] = []
  const slowLog: Pick<MessageLog, 'append' | 'check'> = {
    async append(entries, acknowledge) {
      const from = performance.now()
      await wait(diskMs)
      spans.push({ from, to: performance.now() })
      acknowledge(entries.map((_, index) => ({ seq: spans.length * 10 + index, repeated: false })))
    },
    check: () => Promise.resolve(),
  }
  const room = createRoom(slowLog, roomDeps)
  const send = (text: string) =>
    new Promise((resolve) => room.post({ entry: entry(text), network, acknowledge: resolve, onStored, isAllowed }))
  const first = send('first')
  await vi.advanceTimersByTimeAsync(diskMs / 3)
  const second = send('second')
  await vi.advanceTimersByTimeAsync(10 * diskMs)
  await Promise.all([first, second])
  const [one, two] = spans
  expect((two?.from ?? 0) - (one?.to ?? 0)).toBeLessThan(diskMs / 2)
  expect((two?.from ?? 0) - (one?.from ?? 0)).toBeGreaterThanOrEqual(flushWindowMs)
})
