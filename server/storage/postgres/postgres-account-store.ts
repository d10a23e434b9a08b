import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { createStorageHealth } from '../../observe/storage-health.ts'
import { withDeadline } from '../../base/with-deadline.ts'
import { StorageError } from '../../base/storage-error.ts'
import type { AccountStore } from '../../accounts/account-store.ts'
import { type AccountTables, migrateAccountTables } from '../sql/account-tables.ts'
import { createKyselyAccountStore } from '../sql/kysely-account-store.ts'
import { databaseAddress } from '../../config/database-url.ts'
import { refuseServer } from './postgres-server-check.ts'
import { ownError, startErrorOf } from './postgres-errors.ts'
import { createPostgresPool } from './postgres-pool.ts'

/** Each takes some MB of PostgreSQL's memory, and its default allows a hundred for all nodes together. */
export const maxPostgresConnections = 5
/** Who waits for a login to be checked hears within three seconds, whatever PostgreSQL does. */
const callDeadlineMs = 2_800
const limits = { maxConnections: maxPostgresConnections, leaseMs: 2_500, statementTimeoutMs: 2_000 }
/** Long enough for another node's changes to the tables. */
const migrationLimits = { maxConnections: 1, leaseMs: 120_000, statementTimeoutMs: 60_000 }
/** A silence is noticed although nobody logs in. */
const pingEveryMs = 1_000

/** The advisory lock's number; any that nobody else takes in this database. */
const registrationLock = 158_207_112_026

interface StoreEvents {
  onWarning?: (message: string) => void
  /** Logins and registrations are refused from now on, at once. */
  onAway?: (error: unknown) => void
  onBack?: () => void
}

/** Accounts in PostgreSQL, for any number of nodes. */
export async function openPostgresAccountStore(databaseUrl: string, events: StoreEvents = {}): Promise<AccountStore> {
  await prepareTables(databaseUrl, events)
  const connections = createPostgresPool(databaseUrl, limits)
  const db = new Kysely<AccountTables>({ dialect: new PostgresDialect({ pool: connections.pool }) })
  const store = createKyselyAccountStore(db, lockRegistrations)

  let isAway = false
  let cause: unknown = null
  const ask = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await withDeadline(work(), callDeadlineMs, () => new StorageError('PostgreSQL has not answered in time.'))
    } catch (error) {
      throw ownError(error)
    }
  }
  const health = createStorageHealth(() => ask(() => store.check()), {
    onFailed(error) {
      isAway = true
      cause = error
      events.onAway?.(error)
    },
    onRecovered() {
      isAway = false
      events.onBack?.()
    },
  })
  const ping = setInterval(() => {
    if (!isAway) void health.isWell()
  }, pingEveryMs).unref()

  /** While it is away nobody waits for it: a crowd that comes back would fill the queue and gain nothing. */
  async function answered<Result>(work: () => Promise<Result>): Promise<Result> {
    if (isAway) throw new StorageError('PostgreSQL is away.')
    try {
      return await ask(work)
    } catch (error) {
      if (error instanceof StorageError) void health.isWell()
      throw error
    }
  }

  return {
    create: (account, token) => answered(() => store.create(account, token)),
    isNameTaken: (keys) => answered(() => store.isNameTaken(keys)),
    findForLogin: (nameKey) => answered(() => store.findForLogin(nameKey)),
    addToken: (token) => answered(() => store.addToken(token)),
    findByToken: (hash, nowMs) => answered(() => store.findByToken(hash, nowMs)),
    revokeToken: (hash) => answered(() => store.revokeToken(hash)),
    deleteExpiredTokens: (nowMs) => answered(() => store.deleteExpiredTokens(nowMs)),
    listPage: (afterOrder, maxUsers) => answered(() => store.listPage(afterOrder, maxUsers)),
    async check() {
      if (!(await health.isWell())) throw cause
    },
    async close() {
      clearInterval(ping)
      health.stop()
      await connections.close()
    },
  }
}

/** Given back when the transaction ends, after what it stored can be seen. */
async function lockRegistrations(trx: Transaction<AccountTables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(registrationLock)})`.execute(trx)
}

/** Whatever is in the way is said in one line. */
async function prepareTables(databaseUrl: string, { onWarning }: StoreEvents): Promise<void> {
  const connections = createPostgresPool(databaseUrl, migrationLimits)
  const place = databaseAddress(databaseUrl)
  try {
    const db = new Kysely<AccountTables>({ dialect: new PostgresDialect({ pool: connections.pool }) })
    const warning = await refuseServer(db, place)
    if (warning !== null) onWarning?.(warning)
    await migrateAccountTables(db, {
      orderColumn: { type: 'bigint', define: (column) => column.primaryKey().generatedByDefaultAsIdentity() },
      place: `DATABASE_URL: the database at ${place}`,
    })
  } catch (error) {
    throw startErrorOf(error, place)
  } finally {
    await connections.close()
  }
}
