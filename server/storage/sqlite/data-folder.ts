import { existsSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { adminSocketName } from '../../config/settings.ts'
import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'
import { headFileOf } from './head-file.ts'
import { busyTimeoutMs, singleValue } from './open-database.ts'
import { createPrivateFile, makePrivate, openPrivateFolder } from './private-files.ts'

interface DataFolder {
  files: Record<DatabaseName, string>
  release: () => void
}

/**
 * Databases of the server: the file in the data folder, and the tables without which the file is not this database. The
 * checks at startup use this list. `deploy/databases.sh` repeats it for backup and restore; a test compares the two.
 */
export const databases = {
  accounts: { file: 'accounts.sqlite', tables: ['users', 'tokens'] },
  messages: { file: 'messages.sqlite', tables: ['room', 'messages'] },
} as const

export type DatabaseName = keyof typeof databases
export const databaseNames = Object.keys(databases) as DatabaseName[]

/** Returns the paths of the databases, the head file and the lock file. SQLite adds its own files beside the databases. */
export function dataFiles(folder: string) {
  const pathOf = (name: DatabaseName) => join(folder, databases[name].file)
  return {
    accounts: pathOf('accounts'),
    messages: pathOf('messages'),
    head: headFileOf(pathOf('messages')),
    lock: join(folder, 'chat-room.lock'),
  }
}

/** Databases of early versions, which kept accounts and messages in one file. */
const unsupportedFiles = ['chat-room.sqlite', 'chat-room.sqlite.moving']

const lockCheckIntervalMs = 2_000
/** Timeout for the lock: another server on the folder may be shutting down. */
const lockTimeoutMs = 8_000

/** Matches the name of a folder into which `deploy/restore.sh` moves the replaced files. */
const replacedFolder = /^before-restore-/

/**
 * Locks the data folder for this process and checks its databases. The lock is SQLite's file lock on a separate file.
 * The operating system releases it when the process ends, so a crash leaves nothing to clean up.
 */
export function claimDataFolder(folder: string, report: Report): DataFolder {
  const files = dataFiles(folder)
  const names = [...Object.values(files).map((file) => basename(file)), adminSocketName]
  const isOurs = (name: string) =>
    replacedFolder.test(name) || names.some((ours) => name === ours || /^[-.]\w+$/.test(name.replace(ours, '')))
  openPrivateFolder(folder, isOurs, report)
  const lock = lockFolder(folder, files.lock)
  try {
    for (const file of Object.values(files)) {
      for (const suffix of ['', '-wal', '-shm']) makePrivate(file + suffix)
    }
    rejectUnsupportedFiles(folder)
    const headFile = existsSync(files.head) ? files.head : null
    if (headFile !== null) for (const name of databaseNames) rejectMissing(files[name], headFile)
    for (const name of databaseNames) checkDatabase(files[name], databases[name].tables, headFile)
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

/** Calls `onLost` once when the lock file was removed or replaced: its lock no longer excludes other processes. */
function watchLock(file: string, onLost: () => void): { stop: () => void } {
  const { ino } = statSync(file)
  const timer = setInterval(() => {
    if (statSync(file, { throwIfNoEntry: false })?.ino === ino) return
    clearInterval(timer)
    onLost()
  }, lockCheckIntervalMs).unref()
  return { stop: () => clearInterval(timer) }
}

function lockFolder(folder: string, file: string): DatabaseSync {
  makePrivate(file)
  try {
    createPrivateFile(file)
    const lock = new DatabaseSync(file, { timeout: lockTimeoutMs })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE;')
    return lock
  } catch (error) {
    if (/locked/i.test((error as Error).message)) {
      throw new StartError(
        `DATA_DIR: another server is running on the folder ${folder}; stop it, or set another folder`,
      )
    }
    throw new StartError(
      `DATA_DIR: the lock ${file} cannot be taken (${(error as Error).message}); check the disk, or use one that supports file locks`,
    )
  }
}

function rejectUnsupportedFiles(folder: string): void {
  const file = unsupportedFiles.map((name) => join(folder, name)).find((path) => existsSync(path))
  if (file === undefined) return
  throw new StartError(
    `DATA_DIR: ${file} was written by an early version that is no longer supported; move it away to start with new databases`,
  )
}

/** Rejects a missing or empty database when the head file shows that it existed, for example after a partial restore. */
function rejectMissing(file: string, headFile: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw lostDatabaseError(file, 'missing', headFile)
  if (size === 0) throw lostDatabaseError(file, 'empty', headFile)
}

/**
 * Checks a database at the start instead of at the first request. A valid file may still lack its tables: it belongs to
 * another program, or was copied without its write-ahead log. Without a head file (`null`), the tables may be missing.
 */
function checkDatabase(file: string, tables: readonly string[], headFile: string | null): void {
  try {
    createPrivateFile(file)
    const database = new DatabaseSync(file, { timeout: busyTimeoutMs })
    try {
      const existing = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
      const hasTables = tables.every((table) => existing.some(({ name }) => name === table))
      if (headFile !== null && !hasTables) throw lostDatabaseError(file, 'without its tables', headFile)
      const result = String(singleValue(database, 'PRAGMA quick_check(1)'))
      if (result !== 'ok') throw new Error(result)
    } finally {
      database.close()
    }
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(
      `DATA_DIR: the database ${file} cannot be used (${(error as Error).message}); check the disk, or restore a backup`,
    )
  }
}

function lostDatabaseError(file: string, state: string, headFile: string): StartError {
  return new StartError(
    `DATA_DIR: the database ${file} is ${state}, but ${headFile} shows that it existed; restore it, or remove ${headFile} to start without it`,
  )
}
