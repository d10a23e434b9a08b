import { DatabaseError } from 'pg'
import { StorageError } from '../../base/storage-error.ts'
import { StartError } from '../../base/start-error.ts'

/** https://www.postgresql.org/docs/15/errcodes-appendix.html: data exceptions, broken constraints, wrong statements. */
const defectClasses = new Set(['22', '23', '42'])

/**
 * What went wrong, in words of its own: pg's errors carry the client, with all that it knows of the connection, and the
 * rows that were in the way. `StorageError` when the database could not be asked, an ordinary one for a defect of ours.
 */
export function ownError(error: unknown): Error {
  if (error instanceof StorageError || error instanceof StartError) return error
  const { message } = error as Error
  if (!(error instanceof DatabaseError)) return new StorageError(`PostgreSQL cannot be reached: ${message}`)
  const { code = '' } = error
  const told = `PostgreSQL: ${message} (${code})`
  return defectClasses.has(code.slice(0, 2)) ? new Error(told) : new StorageError(told)
}

const reasons: Readonly<Record<string, string>> = {
  '28P01': 'refuses this user or password',
  '28000': 'refuses this user (see its pg_hba.conf)',
  '3D000': 'has no such database; create it first',
  '42501': 'does not let this user create tables in the database',
  '53300': 'has no connection left (see its max_connections)',
  '57P03': 'is starting or stopping just now',
  '57014': 'is busy: another node has been changing the tables for too long',
}

/** The one line for whoever starts the server, without credentials. */
export function startErrorOf(error: unknown, place: string): StartError {
  if (error instanceof StartError) return error
  const { code, message } = error as NodeJS.ErrnoException
  if (error instanceof DatabaseError) {
    return new StartError(`DATABASE_URL: PostgreSQL at ${place} ${reasons[code ?? ''] ?? `says: ${message} (${code})`}`)
  }
  return new StartError(`DATABASE_URL: PostgreSQL at ${place} cannot be reached (${code ?? message})`)
}
