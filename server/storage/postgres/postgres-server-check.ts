import { type Kysely, sql } from 'kysely'
import { StartError } from '../../base/start-error.ts'
import { ReadOnlyError } from './postgres-errors.ts'
import type { AccountTables } from '../sql/account-tables.ts'

/** Oldest major release of PostgreSQL that the tests run on. */
const oldestRelease = 15

interface ServerTraits {
  version: string
  versionNumber: number
  encoding: string
  isStandby: boolean
  isDurable: boolean
}

/** Returns why accounts cannot be stored on this server, or `null` when they can. */
export function problemOfServer({ version, versionNumber, encoding, isStandby }: ServerTraits): string | null {
  if (Math.floor(versionNumber / 10_000) < oldestRelease) {
    return `runs version ${version}; upgrade it to ${oldestRelease} or newer`
  }
  if (encoding !== 'UTF8') return `stores this database in ${encoding}; create a database with ENCODING 'UTF8'`
  return isStandby ? 'is a read-only standby; use the address of the primary' : null
}

/** Returns the properties of the server. Throws when accounts cannot be stored there. */
export async function checkServer(db: Kysely<AccountTables>, address: string): Promise<ServerTraits> {
  const { rows } = await sql<ServerTraits>`select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as "versionNumber",
    current_setting('server_encoding') as encoding,
    pg_is_in_recovery() as "isStandby",
    current_setting('fsync')::bool and current_setting('synchronous_commit') <> 'off' as "isDurable"`.execute(db)
  const [traits] = rows
  if (traits === undefined)
    throw new StartError(
      `DATABASE_URL: PostgreSQL at ${address} returns no settings; use the address of a PostgreSQL server`,
    )
  const problem = problemOfServer(traits)
  if (problem !== null) throw new StartError(`DATABASE_URL: PostgreSQL at ${address} ${problem}`)
  return traits
}

/** Rejects when the server is a standby or the database is read-only. */
export async function rejectReadOnly(db: Kysely<AccountTables>): Promise<void> {
  const { rows } = await sql<{ isStandby: boolean; isReadOnly: boolean }>`select
    pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only')::bool as "isReadOnly"`.execute(db)
  if (rows[0]?.isStandby === true) throw new ReadOnlyError('PostgreSQL has become a read-only standby.')
  if (rows[0]?.isReadOnly === true) throw new ReadOnlyError('PostgreSQL: the database is read-only.')
}
