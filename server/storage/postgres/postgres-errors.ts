import { DatabaseError } from 'pg'
import { StorageError } from '../../base/storage-error.ts'
import { StartError } from '../../base/start-error.ts'

/**
 * Error classes that mean a defect of Chat Room: data exceptions, violated constraints, invalid statements.
 * https://www.postgresql.org/docs/15/errcodes-appendix.html
 */
const defectClasses = new Set(['22', '23', '42'])

/** Error code of a write to a read-only database. */
const readOnlyCode = '25006'

/** Error of a server that rejects writes: it has become a standby, or the database was set to read-only. */
export class ReadOnlyError extends StorageError {
  override name = 'ReadOnlyError'
}

/**
 * Converts an error of pg into one without private data: errors of pg hold the client with its connection settings, and
 * the conflicting rows. Returns a `StorageError` for an unavailable database and a plain `Error` for a defect.
 */
export function sanitizeError(error: unknown): Error {
  if (error instanceof StorageError || error instanceof StartError) return error
  const { message } = error as Error
  if (!(error instanceof DatabaseError)) return new StorageError(`PostgreSQL cannot be reached: ${message}`)
  const { code = '' } = error
  const text = `PostgreSQL: ${message} (${code})`
  if (code === readOnlyCode) return new ReadOnlyError(text)
  return defectClasses.has(code.slice(0, 2)) ? new Error(text) : new StorageError(text)
}

const reasons: Readonly<Record<string, string>> = {
  '28P01': 'rejects this user or password; correct them in DATABASE_URL',
  '28000': 'rejects this user; check that the role exists and may log in, and that pg_hba.conf allows it',
  '3D000': 'has no such database; create it first',
  '42501': 'does not let this user create tables in the database; grant CREATE to the user',
  '53300': 'accepts no more connections; raise max_connections',
  '57P03': 'is starting or stopping; start this node again later',
  '57014': 'is busy: a statement timed out, probably because another node holds a lock; start this node again later',
}

/** Converts an error at the start into one line for the operator, without credentials. */
export function startErrorOf(error: unknown, address: string): StartError {
  if (error instanceof StartError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof DatabaseError) {
    return new StartError(
      `DATABASE_URL: PostgreSQL at ${address} ${reasons[code ?? ''] ?? `reports: ${message} (${code}); see the log of PostgreSQL`}`,
    )
  }
  return new StartError(
    `DATABASE_URL: PostgreSQL at ${address} cannot be reached (${code ?? message}); start PostgreSQL, or correct the address`,
  )
}
