import type { Report } from '../../observe/events.ts'

export interface SqliteStoreCallbacks {
  report: Report
  /** Handles an unexpected end of the storage thread. Stored data is safe on the disk, but nothing more can be stored. */
  onDied: (error: Error) => void
}
