import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test, vi } from 'vitest'
import { append, type LogFixture, entry } from '../../../room/log-fixture.suite.ts'
import { describeMessageLog } from '../../../room/message-log.suite.ts'
import { ignoreStoreCallbacks } from '../store-callbacks.suite.ts'
import { createSqliteLogStore } from './sqlite-log-store.ts'
import { openSqliteLog } from './sqlite-log.ts'

function createFixture(): LogFixture & { file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-log-'))
  const file = join(folder, 'log.sqlite')
  return {
    file,
    open: (retention) => openSqliteLog(file, retention, ignoreStoreCallbacks),
    blockStorage() {
      const other = new DatabaseSync(file)
      other.exec('BEGIN EXCLUSIVE')
      return () => other.close()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

describeMessageLog('SQLite', createFixture)

const keepAll = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
const batchOf = (count: number) => Array.from({ length: count }, (_, index) => entry(`message ${index}`))

async function openLog() {
  const fixture = createFixture()
  const log = await fixture.open(keepAll)
  onTestFinished(async () => {
    await log.close()
    fixture.remove()
  })
  return { fixture, log }
}

test('DELIVERY-1 an append is one transaction for any number of messages', async () => {
  const { fixture, log } = await openLog()
  const before = countCommits(`${fixture.file}-wal`)
  await append(log, batchOf(500))
  expect(countCommits(`${fixture.file}-wal`) - before).toBe(1)
})

test('DELIVERY-1 a batch with a message that cannot be stored is rejected as a whole', async () => {
  const { log } = await openLog()
  await append(log, batchOf(2))
  const unstorable = { ...entry('bad'), message: { ...entry('bad').message, username: null as unknown as string } }
  await expect(append(log, [entry('good'), unstorable])).rejects.toThrow(/NOT NULL/)
  expect(await append(log, [entry('next')])).toStrictEqual([{ seq: 3, repeated: false }])
  expect(
    await log.readAfter({ epoch: log.bounds().epoch, seq: 2 }, { maxMessages: 10, maxCharacters: 100 }),
  ).toStrictEqual([{ seq: 3, message: entry('next').message }])
})

test('DELIVERY-7 senders receive acks before subscribers receive the messages, in one turn of the event loop', async () => {
  const fixture = createFixture()
  const calls: string[] = []
  const log = await fixture.open(keepAll)
  log.subscribe({ onStored: () => void calls.push('stored'), onRemoved: () => undefined, onLogBroken: () => undefined })
  onTestFinished(async () => {
    await log.close()
    fixture.remove()
  })
  await log.append([entry('a')], () => {
    calls.push('acknowledged')
    queueMicrotask(() => calls.push('next turn'))
  })
  expect(calls).toStrictEqual(['acknowledged', 'stored', 'next turn'])
})

test('DELIVERY-4 many expired messages are trimmed in small steps, so that appends are not delayed', async () => {
  const fixture = createFixture()
  const large = await fixture.open(keepAll)
  await append(large, batchOf(1_000))
  await large.close()
  const log = await fixture.open({ ...keepAll, maxMessages: 10 })
  onTestFinished(async () => {
    await log.close()
    fixture.remove()
  })
  const steps: number[] = []
  while (log.bounds().oldest <= 990) {
    const { oldest } = log.bounds()
    await append(log, [entry('one more')])
    steps.push(log.bounds().oldest - oldest)
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(100)
  expect(Math.min(...steps)).toBeGreaterThan(1)
  await append(log, [entry('the last')])
  const { oldest, head } = log.bounds()
  expect(head - oldest + 1).toBe(10)
})

test('DELIVERY-3 other connections can read the database while the log is written', async () => {
  const { fixture, log } = await openLog()
  const reader = new DatabaseSync(fixture.file, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('BEGIN')
  expect(reader.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: 0 })
  await append(log, batchOf(3))
  reader.exec('COMMIT')
  expect(reader.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: 3 })
})

test('STORAGE-5 a failed append is rolled back at once and releases the write lock', async () => {
  const { fixture, log } = await openLog()
  const unstorable = { ...entry('bad'), message: { ...entry('bad').message, username: null as unknown as string } }
  await expect(append(log, [entry('good'), unstorable])).rejects.toThrow(/NOT NULL/)
  const other = new DatabaseSync(fixture.file, { timeout: 0 })
  onTestFinished(() => other.close())
  other.exec('BEGIN IMMEDIATE; COMMIT')
})

test('STORAGE-6 a system clock that jumps by a month while the log is open expires no message', () => {
  const fixture = createFixture()
  onTestFinished(() => fixture.remove())
  const store = createSqliteLogStore(fixture.file, keepAll)
  onTestFinished(() => store.close())
  store.append(batchOf(50))
  const now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now + 30 * 24 * 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  for (let round = 0; round < 5; round++) {
    store.append(batchOf(1))
    store.maintain()
  }
  expect(store.range()).toStrictEqual({ oldest: 1, head: 55 })
})

test('STORAGE-7 after the retention is lowered, expired texts are removed from all files without new messages, and the file shrinks', async () => {
  const fixture = createFixture()
  onTestFinished(() => fixture.remove())
  const large = await fixture.open(keepAll)
  for (let batch = 0; batch < 20; batch++) {
    await append(
      large,
      Array.from({ length: 100 }, (_, index) => entry(`secret ${batch * 100 + index} `.repeat(50))),
    )
  }
  await large.close()
  const before = statSync(fixture.file).size
  const log = await fixture.open({ ...keepAll, maxMessages: 10 })
  onTestFinished(() => log.close())
  await expect
    .poll(() => log.readAfter({ epoch: log.bounds().epoch, seq: 1_989 }, { maxMessages: 1, maxCharacters: 1 }))
    .toBeNull()
  expect(log.bounds()).toMatchObject({ oldest: 1_991, head: 2_000 })
  const readable = () =>
    [fixture.file, `${fixture.file}-wal`].flatMap((file) => readFileSync(file, 'latin1').match(/secret (\d+) /g) ?? [])
  await expect.poll(() => readable().filter((text) => Number(text.slice(7)) < 1_990)).toStrictEqual([])
  await expect.poll(() => statSync(fixture.file).size).toBeLessThan(before / 4)
  expect(readable().length).toBeGreaterThan(0)
})

test('STORAGE-12 a page ends before a deleted message and the next page is null; the head is never below the newest message', async () => {
  const fixture = createFixture()
  onTestFinished(() => fixture.remove())
  const first = await fixture.open(keepAll)
  await append(first, batchOf(10))
  await first.close()
  const other = new DatabaseSync(fixture.file)
  other.exec('DELETE FROM messages WHERE seq IN (5, 10); UPDATE room SET head = 7')
  other.close()
  const log = await fixture.open(keepAll)
  onTestFinished(() => log.close())
  const page = { maxMessages: 100, maxCharacters: 10_000 }
  const seqs = async (seq: number) =>
    (await log.readAfter({ epoch: log.bounds().epoch, seq }, page))?.map((message) => message.seq) ?? null
  expect(log.bounds().head).toBe(9)
  expect(await log.listForOperator(2, 6)).toMatchObject([{ seq: 3 }, { seq: 4 }])
  expect(await seqs(0)).toStrictEqual([1, 2, 3, 4])
  expect(await seqs(4)).toBeNull()
  expect(await seqs(5)).toStrictEqual([6, 7, 8, 9])
  expect(await seqs(9)).toStrictEqual([])
  expect(await seqs(10)).toBeNull()
})

test('STORAGE-13 a log without a schema version is migrated and keeps its messages', async () => {
  const fixture = createFixture()
  onTestFinished(() => fixture.remove())
  const old = new DatabaseSync(fixture.file)
  old.exec(`CREATE TABLE room (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, head INTEGER NOT NULL);
    CREATE TABLE messages (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, username TEXT NOT NULL, message TEXT NOT NULL,
      created_time INTEGER NOT NULL, stored_at_ms INTEGER NOT NULL);
    CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), noise INTEGER NOT NULL);
    INSERT INTO room VALUES (1, 'kept', 3); INSERT INTO messages VALUES (3, 'id', 'alice', 'old', 5, ${Date.now()});`)
  old.close()
  const log = await fixture.open(keepAll)
  onTestFinished(() => log.close())
  await log.check()
  expect(log.bounds()).toMatchObject({ oldest: 3, head: 3 })
  expect(
    await log.readAfter({ epoch: log.bounds().epoch, seq: 2 }, { maxMessages: 1, maxCharacters: 1 }),
  ).toMatchObject([{ seq: 3 }])
  expect(await log.senderOf(3)).toBeNull()
  expect(await log.listForOperator(1)).toMatchObject([{ seq: 3, message: { message: 'old' }, sender: null }])
})

/** Counts the commits in a write-ahead log. Only the last frame of a transaction holds the database size; others hold 0. */
function countCommits(walFile: string): number {
  const wal = readFileSync(walFile)
  const [headerBytes, frameHeaderBytes] = [32, 24]
  const frameBytes = frameHeaderBytes + wal.readUInt32BE(8)
  let commits = 0
  for (let frame = headerBytes; frame + frameBytes <= wal.length; frame += frameBytes) {
    if (wal.readUInt32BE(frame + 4) !== 0) commits++
  }
  return commits
}
