import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Report } from '../../observe/events.ts'
import { moveFaultFrom } from '../../base/fault-point.ts'
import { StartError } from '../../base/start-error.ts'
import { headFileOf } from './head-file.ts'
import { moveOldDatabase } from './move-old-database.ts'
import { busyTimeoutMs, singleValue } from './open-database.ts'
import { createPrivateFile, makePrivate, openPrivateFolder } from './private-files.ts'

export interface DataFolder {
  files: Record<DatabaseName, string>
  release: () => void
}

/** What the server keeps in its folder. SQLite adds files of its own beside the databases. */
export function dataFiles(folder: string) {
  const messages = join(folder, 'messages.sqlite')
  return {
    accounts: join(folder, 'accounts.sqlite'),
    messages,
    head: headFileOf(messages),
    lock: join(folder, 'chat-room.lock'),
    old: join(folder, 'chat-room.sqlite'),
    moving: join(folder, 'chat-room.sqlite.moving'),
  }
}

/** The databases, each with the table without which a file is not the one that it is named after. */
export const databaseTables = { accounts: 'users', messages: 'messages' } as const
type DatabaseName = keyof typeof databaseTables
export const databaseNames = Object.keys(databaseTables) as DatabaseName[]

const lookForLockEveryMs = 2_000

/** Where `deploy/restore.sh` leaves what it replaces. */
const setAside = /^before-restore-/

/**
 * Takes the data folder for this process alone and looks whether what it holds can be used. The lock is SQLite's own
 * file lock on a file beside the databases: the operating system drops it with the process, so a crash leaves nothing
 * to clean up.
 */
export function claimDataFolder(folder: string, report: Report): DataFolder {
  const files = dataFiles(folder)
  const names = Object.values(files).map((file) => basename(file))
  const isOurs = (name: string) =>
    setAside.test(name) || names.some((ours) => name === ours || /^[-.]\w+$/.test(name.replace(ours, '')))
  openPrivateFolder(folder, isOurs, report)
  const lock = lockFolder(folder, files.lock)
  try {
    for (const file of Object.values(files)) {
      for (const suffix of ['', '-wal', '-shm']) makePrivate(file + suffix)
    }
    let moved = false
    naming(files.old, () => {
      moved = moveOldDatabase(files, moveFaultFrom(process.env))
      if (moved) report({ type: 'old-database-moved', folder })
    })
    // What has just been moved may be older than accounts: their tables are made when they are opened.
    const mustBeThere = !moved && existsSync(files.head)
    for (const name of mustBeThere ? databaseNames : []) refuseEmpty(files[name], files.head)
    for (const name of databaseNames) {
      naming(files[name], () => probeDatabase(files[name], mustBeThere ? files.head : null, databaseTables[name]))
    }
  } catch (error) {
    lock.close()
    throw error
  }
  const watch = watchLock(files.lock, () => report({ type: 'lock-file-removed', file: files.lock }))
  const release = () => {
    watch.stop()
    lock.close()
  }
  return { files: { accounts: files.accounts, messages: files.messages }, release }
}

/** A lock on a file that has lost its name keeps nobody out. Told once. */
function watchLock(file: string, onLost: () => void): { stop: () => void } {
  const { ino } = statSync(file)
  const timer = setInterval(() => {
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino) return
    clearInterval(timer)
    onLost()
  }, lookForLockEveryMs).unref()
  return { stop: () => clearInterval(timer) }
}

function lockFolder(folder: string, file: string): DatabaseSync {
  makePrivate(file)
  try {
    createPrivateFile(file)
    const lock = new DatabaseSync(file, { timeout: 0 })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;')
    return lock
  } catch (error) {
    if (/locked/i.test((error as Error).message)) {
      throw new StartError(`DATA_DIR: another server is running on the folder ${folder}`)
    }
    throw new StartError(`DATA_DIR: the lock ${file} cannot be taken (${(error as Error).message})`)
  }
}

/** Where a room was, an empty one is not made in silence: somebody lost a file, or forgot to mount a disk. */
function refuseEmpty(file: string, headFile: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw lost(file, 'missing', headFile)
  if (size === 0) throw lost(file, 'empty', headFile)
}

/**
 * A corrupt file is found here, at the start, rather than by the first visitor. A valid one may be an empty database: of
 * another program, or copied without the write-ahead log that held it all.
 */
function probeDatabase(file: string, headFile: string | null, table: string): void {
  createPrivateFile(file)
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
  try {
    const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").all(table)
    if (headFile !== null && tables.length === 0) throw lost(file, 'without its tables', headFile)
    const verdict = String(singleValue(database, 'PRAGMA quick_check(1)'))
    if (verdict !== 'ok') throw new Error(verdict)
  } finally {
    database.close()
  }
}

function lost(file: string, state: string, headFile: string): StartError {
  return new StartError(
    `DATA_DIR: ${file} is ${state}, but there was one; restore it, or remove ${headFile} to start without it`,
  )
}

function naming(file: string, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`DATA_DIR: the database ${file} cannot be used (${(error as Error).message})`)
  }
}
