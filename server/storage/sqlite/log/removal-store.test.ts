import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { append, entry, keepAll } from '../../../room/log-fixture.suite.ts'
import { ignoreStoreCallbacks } from '../store-callbacks.suite.ts'
import { openSqliteLog } from './sqlite-log.ts'

async function openLog() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-removals-'))
  const file = join(folder, 'log.sqlite')
  const log = await openSqliteLog(file, keepAll, ignoreStoreCallbacks)
  onTestFinished(async () => {
    await log.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const isInFiles = (text: string) =>
    readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text))
  return { file, log, isInFiles }
}

// The long text needs pages of its own, which become free pages.
test.each([
  ['short', 'the secret'],
  ['long', 'the secret '.repeat(300)],
])(
  'MODERATION-4 a %s text is in no file, page or write-ahead log of SQLite when its removal is acknowledged',
  async (_, text) => {
    const { log, isInFiles } = await openLog()
    await append(log, [entry('before'), entry(text), entry('after')])
    expect(isInFiles('the secret')).toBe(true)
    await log.remove([2])
    expect(isInFiles('the secret')).toBe(false)
    expect(isInFiles('before')).toBe(true)
  },
)

test('MODERATION-4 a text that a reader keeps in the write-ahead log is erased as soon as the reader ends', async () => {
  const { file, log, isInFiles } = await openLog()
  await append(log, [entry('the secret')])
  const reader = new DatabaseSync(file)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM messages').get()
  expect(await log.remove([1])).toStrictEqual([1])
  expect(isInFiles('the secret')).toBe(true)
  reader.close()
  await expect.poll(() => isInFiles('the secret')).toBe(false)
})
