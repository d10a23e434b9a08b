import type { DatabaseSync } from 'node:sqlite'
import { busyTimeoutMs, singleValue } from '../open-database.ts'

/** Free pages kept for the messages to come; what is beyond goes back to the disk. */
const maxFreePages = 64
/** A step delays the next append by some milliseconds at most. */
const vacuumStepPages = 256
/** While messages keep coming, the write-ahead log is emptied no more often than this. */
const busyTruncateMs = 60_000

/**
 * Makes sure that what retention dropped is gone from the files as well. Deleted texts are overwritten in the database
 * at once; here the file is made shorter, and the write-ahead log, where older images of the same pages stand, emptied.
 */
export function createLogUpkeep(database: DatabaseSync) {
  let dropped = false
  let appended = false
  let truncatedAtMs = performance.now()

  function truncateWriteAheadLog(): void {
    // A reader, a backup for instance, can hold it up: then the next time, not a wait that delays appends.
    database.exec('PRAGMA busy_timeout = 0')
    try {
      const busy = singleValue(database, 'PRAGMA wal_checkpoint(TRUNCATE)')
      if (busy === 0) dropped = false
    } finally {
      database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    }
    truncatedAtMs = performance.now()
  }

  return {
    noteAppended: () => void (appended = true),
    noteDropped: () => void (dropped = true),

    /** A step of it, now and then. */
    run(): void {
      if (Number(singleValue(database, 'PRAGMA freelist_count')) > maxFreePages) {
        database.exec(`PRAGMA incremental_vacuum(${vacuumStepPages})`)
        dropped = true
      }
      const quiet = !appended
      appended = false
      if (dropped && (quiet || performance.now() - truncatedAtMs > busyTruncateMs)) truncateWriteAheadLog()
    },
  }
}
