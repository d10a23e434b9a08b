import type { DatabaseSync } from 'node:sqlite'
import { singleValue } from '../open-database.ts'
import { truncateWriteAheadLog } from '../truncate-wal.ts'

/** Number of free pages above which a step returns free pages to the file system. Fewer free pages stay for new messages. */
const maxFreePages = 64
/** Maximum number of pages released in one step, so that a step delays the next append only briefly. */
const vacuumStepPages = 256
/** Minimum time between two truncations of the write-ahead log while messages are appended, except after a removal. */
const busyTruncateMs = 60_000

/**
 * Removes deleted messages from the files. SQLite overwrites deleted text in the database at once. The upkeep shrinks the
 * database and truncates the write-ahead log, which still holds older images of the changed pages.
 */
export function createLogUpkeep(database: DatabaseSync) {
  let hasDeletedContent = false
  /** Whether the write-ahead log holds the text of a removed message. */
  let hasRemovedText = false
  let hasNewMessages = false
  let truncatedAtMs = performance.now()

  function truncate(): void {
    // A reader can block the truncation. A later step retries.
    if (truncateWriteAheadLog(database)) hasDeletedContent = hasRemovedText = false
    truncatedAtMs = performance.now()
  }

  return {
    noteAppended: () => void (hasNewMessages = true),
    noteDropped: () => void (hasDeletedContent = true),

    /** Truncates the write-ahead log after a removal. Later steps retry if a reader or an error prevented it. */
    erase(): void {
      hasRemovedText = true
      try {
        truncate()
      } catch {
        // The removal is committed, and a later step truncates again. If storage is unavailable, the next append rejects.
      }
    },

    /** Runs one step. The caller calls it at intervals. */
    run(): void {
      if (Number(singleValue(database, 'PRAGMA freelist_count')) > maxFreePages) {
        database.exec(`PRAGMA incremental_vacuum(${vacuumStepPages})`)
        hasDeletedContent = true
      }
      const isQuiet = !hasNewMessages
      hasNewMessages = false
      const isDue = isQuiet || performance.now() - truncatedAtMs > busyTruncateMs
      if (hasRemovedText || (hasDeletedContent && isDue)) truncate()
    },
  }
}
