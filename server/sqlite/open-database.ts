import { DatabaseSync } from 'node:sqlite'

const busyTimeoutMs = 2_000

/** WAL and FULL: a committed transaction survives a crash of the process and of the machine. */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;')
  return database
}
