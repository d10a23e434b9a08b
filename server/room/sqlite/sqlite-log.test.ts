import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type LogPlace, describeMessageLog, entry } from '../message-log.suite.ts'
import { openSqliteLog } from './sqlite-log.ts'

function createPlace(): LogPlace & { file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-log-'))
  const file = join(folder, 'log.sqlite')
  return {
    file,
    open: (retention) => openSqliteLog(file, retention),
    takeStorageAway() {
      const other = new DatabaseSync(file)
      other.exec('BEGIN EXCLUSIVE')
      return () => other.close()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

describeMessageLog('SQLite', createPlace)

const keepAll = { maxAgeMs: 3_600_000, maxMessages: 100_000 }
const batchOf = (count: number) => Array.from({ length: count }, (_, index) => entry(`message ${index}`))

async function openLog() {
  const place = createPlace()
  const log = await place.open(keepAll)
  onTestFinished(async () => {
    await log.close()
    place.remove()
  })
  return { place, log }
}

test('DELIVERY-1 one append is one transaction, however many messages it has', async () => {
  const { place, log } = await openLog()
  const before = countCommits(`${place.file}-wal`)
  await log.append(batchOf(500))
  expect(countCommits(`${place.file}-wal`) - before).toBe(1)
})

test('DELIVERY-1 one message that cannot be stored keeps the whole batch out', async () => {
  const { log } = await openLog()
  await log.append(batchOf(2))
  const unstorable = { ...entry('bad'), message: { ...entry('bad').message, username: null as unknown as string } }
  await expect(log.append([entry('good'), unstorable])).rejects.toThrow(/NOT NULL/)
  expect(await log.append([entry('next')])).toStrictEqual([{ seq: 3, repeated: false }])
  expect(await log.readAfter(2, { maxMessages: 10, maxCharacters: 100 })).toStrictEqual([
    { seq: 3, message: entry('next').message },
  ])
})

test('DELIVERY-4 a long tail is trimmed in small steps, so that none of them delays anybody', async () => {
  const place = createPlace()
  const large = await place.open(keepAll)
  await large.append(batchOf(1_000))
  await large.close()
  const log = await place.open({ ...keepAll, maxMessages: 10 })
  onTestFinished(async () => {
    await log.close()
    place.remove()
  })
  const steps: number[] = []
  while (log.range().oldest <= 990) {
    const { oldest } = log.range()
    await log.append([entry('one more')])
    steps.push(log.range().oldest - oldest)
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(100)
  expect(Math.min(...steps)).toBeGreaterThan(1)
  await log.append([entry('the last')])
  const { oldest, head } = log.range()
  expect(head - oldest + 1).toBe(10)
})

test('DELIVERY-3 the database stays open to readers while the log is written', async () => {
  const { place, log } = await openLog()
  const reader = new DatabaseSync(place.file, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('BEGIN')
  expect(reader.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: 0 })
  await log.append(batchOf(3))
  reader.exec('COMMIT')
  expect(reader.prepare('SELECT count(*) AS count FROM messages').get()).toMatchObject({ count: 3 })
})

/** A frame of the write-ahead log that ends a transaction carries the database's size; all others carry 0. */
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
