import { type Stats, statSync } from 'node:fs'
import { isCorruption, StorageError } from '../../base/storage-error.ts'

/**
 * Creates a guard that rejects the use of a database file that was deleted, moved, replaced or corrupted. SQLite often
 * continues to write to such a file, so the server would acknowledge data that is lost.
 */
export function createDatabaseGuard(file: string) {
  const known = new Map<string, Stats>()
  let corruption: unknown = null

  function checkFile(path: string): void {
    const before = known.get(path)
    const now = statSync(path, { throwIfNoEntry: false })
    if (now === undefined) {
      // The write-ahead log may not exist yet: SQLite creates it at the first access in WAL mode.
      if (before === undefined && path !== file) return
      throw new StorageError(
        `The file ${path} was deleted or moved while in use; put it back, or stop the server and restore a backup.`,
      )
    }
    if (before === undefined) known.set(path, now)
    else if (now.ino !== before.ino || now.dev !== before.dev) {
      throw new StorageError(`The file ${path} was replaced while in use; restart the server.`)
    }
    if (path === file && now.size === 0)
      throw new StorageError(`The file ${path} was emptied while in use; stop the server and restore a backup.`)
  }

  return {
    /** Throws when the database must not be used. */
    check(): void {
      if (corruption !== null) throw corruption
      checkFile(file)
      checkFile(`${file}-wal`)
    },
    /** Records an error of a statement when it means corruption: every later check throws it. */
    recordError(error: unknown): void {
      if (isCorruption(error)) corruption ??= error
    },
  }
}
