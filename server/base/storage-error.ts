/** Storage could not do what it was asked to. `code` is SQLite's own, `null` when SQLite had no part in it. */
export class StorageError extends Error {
  override name = 'StorageError'
  readonly code: number | null

  constructor(message: string, code: number | null = null) {
    super(message)
    this.code = code
  }
}

/** https://sqlite.org/rescode.html: the low byte is the primary code, CORRUPT and NOTADB. */
const corruptCodes = new Set([11, 26])

/** What is found broken once stays so until somebody repairs it: a later write that succeeds proves nothing. */
export function isCorruption(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  const result = typeof errcode === 'number' ? errcode : code
  return typeof result === 'number' && corruptCodes.has(result & 0xff)
}
