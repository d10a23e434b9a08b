import { type Stats, statSync } from 'node:fs'
import { isCorruption, StorageError } from '../../base/storage-error.ts'

/**
 * Knows when a database must no longer be written to. SQLite goes on writing to a file that was deleted, moved or
 * replaced, and all of it would be acknowledged and lost; and a file found corrupt often lets a later write pass.
 */
export function createDatabaseGuard(file: string) {
  const known = new Map<string, Stats>()
  let corruption: unknown = null

  function checkFile(path: string): void {
    const before = known.get(path)
    const now = statSync(path, { throwIfNoEntry: false })
    if (now === undefined) {
      // The write-ahead log appears with the first write.
      if (before === undefined && path !== file) return
      throw new StorageError(`The file ${path} was deleted or moved while in use; put it back or restart.`)
    }
    if (before === undefined) known.set(path, now)
    else if (now.ino !== before.ino || now.dev !== before.dev) {
      throw new StorageError(`The file ${path} was replaced while in use; restart the server.`)
    }
    if (path === file && now.size === 0) throw new StorageError(`The file ${path} was emptied while in use.`)
  }

  return {
    /** Throws when nothing may be written or believed any more. */
    check(): void {
      if (corruption !== null) throw corruption
      checkFile(file)
      checkFile(`${file}-wal`)
    },
    /** Takes note of what a statement failed with. */
    note(error: unknown): void {
      if (isCorruption(error)) corruption ??= error
    },
  }
}
