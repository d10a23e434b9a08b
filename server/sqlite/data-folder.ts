import { accessSync, constants, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../start-error.ts'
import { openDatabase } from './open-database.ts'

export interface DataFolder {
  databaseFile: string
  release: () => void
}

/**
 * Takes the data folder for this process alone. The lock is SQLite's own file lock on a file beside the
 * database: the operating system drops it with the process, so a crash leaves nothing to clean up.
 */
export function claimDataFolder(folder: string): DataFolder {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new StartError(`DATA_DIR: the folder ${folder} cannot be written (${errorCode(error)})`)
  }
  const lock = lockFolder(folder)
  const databaseFile = join(folder, 'chat-room.sqlite')
  try {
    probeDatabase(databaseFile)
  } catch (error) {
    lock.close()
    throw new StartError(`DATA_DIR: the database ${databaseFile} cannot be used (${(error as Error).message})`)
  }
  return { databaseFile, release: () => lock.close() }
}

function lockFolder(folder: string): DatabaseSync {
  const file = join(folder, 'chat-room.lock')
  try {
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

/** A corrupt file is found here, at the start, rather than by the first visitor. */
function probeDatabase(file: string): void {
  const database = openDatabase(file)
  try {
    const [row] = database.prepare('PRAGMA quick_check(1)').all()
    const verdict = row === undefined ? 'no answer' : Object.values(row)[0]
    if (verdict !== 'ok') throw new Error(String(verdict))
  } finally {
    database.close()
  }
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
