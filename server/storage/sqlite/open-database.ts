import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'

export const busyTimeoutMs = 2_000
/** Value of `PRAGMA auto_vacuum` for INCREMENTAL. */
const incrementalVacuum = 2

/**
 * Opens a database with WAL and `synchronous = FULL`: a committed transaction survives a crash of the process and of
 * the machine. SQLite overwrites deleted content. Free pages can be released in steps, which requires that
 * `auto_vacuum` is set before the first table is created.
 */
export function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true })
  // Setting a value that is already set would still cost a synchronous write.
  if (singleValue(database, 'PRAGMA auto_vacuum') !== incrementalVacuum)
    database.exec('PRAGMA auto_vacuum = INCREMENTAL')
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;')
  return database
}

/** Returns the first column of the first row. */
export function singleValue(database: DatabaseSync, sql: string): SQLOutputValue | undefined {
  const [row] = database.prepare(sql).all()
  return row === undefined ? undefined : Object.values(row)[0]
}
