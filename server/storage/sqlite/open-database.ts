import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

export const busyTimeoutMs = 2_000
/** What SQLite answers for INCREMENTAL. */
const incrementalVacuum = 2

/**
 * WAL and FULL: a committed transaction survives a crash of the process and of the machine. What is deleted is
 * overwritten, and the pages it leaves can be given back step by step; a file has that second property from its first
 * table on or never.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  // Said to a file that has it already, it would be written, and waited for, again.
  if (singleValue(database, 'PRAGMA auto_vacuum') !== incrementalVacuum)
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;')
  return database
}

/** The value of a pragma or of a query that gives one column of one row. */
export function singleValue(database: DatabaseSync, sql: string): SQLOutputValue | undefined {
  const [row] = database.prepare(sql).all()
  return row === undefined ? undefined : Object.values(row)[0]
}
