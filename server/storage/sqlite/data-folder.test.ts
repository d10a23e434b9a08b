import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { collectEvents, ignoreEvents } from '../../observe/events.suite.ts'
import { claimDataFolder, dataFiles } from './data-folder.ts'

test('OPERATING-6 a lock file that is removed or replaced is logged once, and not after the release', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { report, of } = collectEvents()
  const removals = () => of('lock-file-removed')
  const { lock } = dataFiles(folder)
  const claim = () => claimDataFolder(folder, report)

  const first = claim()
  vi.advanceTimersByTime(60_000)
  expect(removals()).toStrictEqual([])
  rmSync(lock)
  vi.advanceTimersByTime(60_000)
  expect(removals()).toStrictEqual([{ type: 'lock-file-removed', file: lock }])
  first.release()

  const second = claim()
  rmSync(lock)
  writeFileSync(lock, '')
  vi.advanceTimersByTime(60_000)
  expect(removals()).toHaveLength(2)
  second.release()

  rmSync(lock)
  const third = claim()
  third.release()
  rmSync(lock)
  vi.advanceTimersByTime(60_000)
  expect(removals()).toHaveLength(2)
})

test('START-1 a start waits for the lock of a server that is shutting down', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const holder = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    const lock = new (require('node:sqlite').DatabaseSync)(workerData)
    lock.exec('BEGIN EXCLUSIVE')
    parentPort.postMessage('locked')
    setTimeout(() => lock.close(), 100)`,
    { eval: true, workerData: dataFiles(folder).lock },
  )
  const exited = once(holder, 'exit')
  await once(holder, 'message')
  claimDataFolder(folder, ignoreEvents).release()
  await exited
})

test('STORAGE-9 a data folder with the databases of earlier versions is accepted when a later version adds a database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-folder-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  // The test uses literal names instead of `databases`: an added database is missing at the first start after an
  // upgrade.
  for (const [file, tables] of [
    ['accounts.sqlite', ['users', 'tokens']],
    ['messages.sqlite', ['room', 'messages']],
  ] as const) {
    const database = new DatabaseSync(join(folder, file))
    for (const table of tables) database.exec(`CREATE TABLE ${table} (id)`)
    database.close()
  }
  writeFileSync(join(folder, 'messages.head'), '')
  const { report, types } = collectEvents()
  claimDataFolder(folder, report).release()
  expect(types()).not.toContain('lock-file-removed')
})
