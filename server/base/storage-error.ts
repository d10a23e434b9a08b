/** Timeout of a call to a SQLite thread, and of storing a batch of messages. SQLite's own timeout for a lock is shorter. */
export const storageDeadlineMs = 5_000

/**
 * Error of a storage that is unavailable or fails. A statement that violates a constraint rejects with a plain `Error`.
 * `code` is SQLite's result code, `null` if the error does not come from SQLite.
 */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly code: number | null

  constructor(message: string, code: number | null = null, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Returns whether a result code of SQLite means a violated constraint (CONSTRAINT). The low byte is the primary code. */
export const isConstraint = (code: number | null) => code !== null && (code & 0xff) === 19

/** Result codes CORRUPT and NOTADB. The low byte of a code is the primary code: https://sqlite.org/rescode.html */
const corruptCodes = new Set([11, 26])

/** Returns whether the error means a corrupt database. A later write that succeeds does not prove a repair. */
export function isCorruption(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  const result = typeof errcode === 'number' ? errcode : code
  return typeof result === 'number' && corruptCodes.has(result & 0xff)
}

export function storageTimeoutError(stores: string, deadlineMs: number): StorageError {
  return new StorageError(`The storage of the ${stores} did not respond within ${deadlineMs / 1_000} s.`)
}
