import type { DatabaseSync } from 'node:sqlite'
import { busyTimeoutMs, singleValue } from './open-database.ts'

const retryMs = 1_000

/**
 * Truncates the write-ahead log, which holds older images of changed pages. Returns `false` if another connection, for
 * example a backup, blocks this: the function does not wait, because the thread has other calls.
 */
export function truncateWriteAheadLog(database: DatabaseSync): boolean {
  database.exec('PRAGMA busy_timeout = 0')
  try {
    return singleValue(database, 'PRAGMA wal_checkpoint(TRUNCATE)') === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
  }
}

/**
 * Returns a function that truncates the write-ahead log. The function retries after an error, and while another connection
 * blocks the truncation, until the database is closed.
 */
export function createTruncation(database: DatabaseSync): () => void {
  let retry: NodeJS.Timeout | undefined
  return function truncate(): void {
    clearTimeout(retry)
    if (!database.isOpen || tryTruncate(database)) return
    retry = setTimeout(truncate, retryMs).unref()
  }
}

/** Truncates the write-ahead log. An error counts as a blocked attempt: the caller's change is already committed. */
function tryTruncate(database: DatabaseSync): boolean {
  try {
    return truncateWriteAheadLog(database)
  } catch {
    return false
  }
}
