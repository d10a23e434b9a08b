import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { createStorageHealth } from '../../observe/storage-health.ts'
import type { Report } from '../../observe/events.ts'
import { monotonicMs } from '../../base/monotonic-ms.ts'
import { withDeadline } from '../../base/with-deadline.ts'
import { StorageError } from '../../base/storage-error.ts'
import { type AccountTables, migrateAccountTables } from '../sql/account-tables.ts'
import { forwardModeration, runModerationCall } from '../sql/forward-moderation.ts'
import { createKyselyAccountStore } from '../sql/kysely-account-store.ts'
import { createKyselyModerationStore } from '../sql/kysely-moderation-store.ts'
import type { AccountDatabase } from '../storage.ts'
import { databaseAddress } from '../../config/database-url.ts'
import { checkServer, rejectReadOnly } from './postgres-server-check.ts'
import { ReadOnlyError, sanitizeError, startErrorOf } from './postgres-errors.ts'
import { createPostgresPool } from './postgres-pool.ts'

/** Maximum number of connections of one node. Each connection takes some MB in PostgreSQL, whose default limit is 100 in total. */
export const maxPostgresConnections = 5
/** Deadline of a call, so that the server rejects a login within three seconds if PostgreSQL does not respond. */
const callDeadlineMs = 2_800
const limits = { maxConnections: maxPostgresConnections, connectMs: 2_000, leaseMs: 2_500, statementTimeoutMs: 2_000 }
/**
 * Limits at the start, long enough to wait for the migration of another node, and for the reply of PostgreSQL on a busy
 * machine.
 */
const migrationLimits = { maxConnections: 1, connectMs: 8_000, leaseMs: 120_000, statementTimeoutMs: 60_000 }
/** Interval of health checks, so that an outage is detected without logins. */
const pingEveryMs = 1_000

/** Keys of the advisory locks. The numbers are arbitrary but must be unique in the database. */
export const registrationLock = 158_207_112_026
const moderationLock = 158_207_112_027

/**
 * Opens the account store in PostgreSQL, which any number of nodes share. Tests observe its health by `onHealthChanged`.
 */
export async function openPostgresAccountStore(
  databaseUrl: string,
  report: Report,
  onHealthChanged: (isAvailable: boolean) => void = () => undefined,
): Promise<AccountDatabase> {
  await prepareTables(databaseUrl, report)
  const connections = createPostgresPool(databaseUrl, limits)
  const db = new Kysely<AccountTables>({ dialect: new PostgresDialect({ pool: connections.pool }) })
  const store = createKyselyAccountStore(db, { clockMs, lockNames: lockBy(registrationLock) })
  const moderation = createKyselyModerationStore(db, { clockMs, lockChanges: lockBy(moderationLock) })

  const runWithDeadline = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await withDeadline(work(), callDeadlineMs, timeoutError)
    } catch (error) {
      const sanitized = sanitizeError(error)
      // After a failover, connections to the old primary may stay open.
      if (sanitized instanceof ReadOnlyError) connections.closeIdle()
      throw sanitized
    }
  }
  const health = createStorageHealth(checkWritable, {
    onFailed: () => onHealthChanged(false),
    onRecovered: () => onHealthChanged(true),
  })

  /** Checks PostgreSQL. Rejects while it is unavailable or rejects writes. */
  async function checkWritable(): Promise<void> {
    await runWithDeadline(async () => {
      await store.check()
      await rejectReadOnly(db)
    })
  }

  const ping = setInterval(() => {
    if (health.state().kind === 'available') void health.isHealthy()
  }, pingEveryMs).unref()

  /**
   * Runs a call with a deadline. Rejects at once while PostgreSQL is unavailable, so that reconnecting clients do not fill
   * the queue.
   */
  async function runIfAvailable<Result>(work: () => Promise<Result>): Promise<Result> {
    if (health.state().kind === 'unavailable') throw new StorageError('PostgreSQL is unavailable.')
    try {
      return await runWithDeadline(work)
    } catch (error) {
      if (error instanceof StorageError) void health.isHealthy()
      throw error
    }
  }

  let lastRun: Promise<unknown> = Promise.resolve()

  /** Runs changes of names one after another: several changes that wait for the lock could take all connections. */
  function runSerially<Result>(work: () => Promise<Result>): Promise<Result> {
    const dueMs = monotonicMs() + callDeadlineMs
    const done = lastRun.then(() => {
      // The caller has already received a timeout error.
      if (monotonicMs() >= dueMs) throw timeoutError()
      return work()
    })
    lastRun = done.catch(() => undefined)
    return done
  }

  return {
    create: (account, token) => runIfAvailable(() => runSerially(() => store.create(account, token))),
    isNameTaken: (keys, exceptId) => runIfAvailable(() => store.isNameTaken(keys, exceptId)),
    findForLogin: (nameKey) => runIfAvailable(() => store.findForLogin(nameKey)),
    addToken: (token) => runIfAvailable(() => store.addToken(token)),
    findByToken: (hash, nowMs) => runIfAvailable(() => store.findByToken(hash, nowMs)),
    revokeToken: (hash) => runIfAvailable(() => store.revokeToken(hash)),
    deleteExpired: (nowMs) => runIfAvailable(() => store.deleteExpired(nowMs)),
    listPage: (afterOrder, maxUsers, search) => runIfAvailable(() => store.listPage(afterOrder, maxUsers, search)),
    countUsers: () => runIfAvailable(() => store.countUsers()),
    exportAccount: (id) => runIfAvailable(() => store.exportAccount(id)),
    listTokens: (accountId, nowMs) => runIfAvailable(() => store.listTokens(accountId, nowMs)),
    revokeTokens: (accountId) => runIfAvailable(() => store.revokeTokens(accountId)),
    setPasswordHash: (accountId, hash) => runIfAvailable(() => store.setPasswordHash(accountId, hash)),
    rename: (accountId, names, reservation) =>
      runIfAvailable(() => runSerially(() => store.rename(accountId, names, reservation))),
    deleteAccount: (accountId, reservation) =>
      runIfAvailable(() => runSerially(() => store.deleteAccount(accountId, reservation))),
    moderation: forwardModeration((call) => runIfAvailable(() => runModerationCall(moderation, call))),
    async check() {
      await health.isHealthy()
      const state = health.state()
      if (state.kind === 'unavailable') throw state.error
    },
    async close() {
      clearInterval(ping)
      health.stop()
      await connections.close()
    },
  }
}

const timeoutError = () => new StorageError('PostgreSQL did not respond in time.')
const clockMs = sql<number>`(extract(epoch from now()) * 1000)::bigint`

/**
 * Returns a function that takes the lock and holds it until the transaction ends. The rows of the transaction are then
 * visible to other transactions.
 */
const lockBy = (key: number) => async (trx: Transaction<AccountTables>) => {
  await sql`select pg_advisory_xact_lock(${sql.lit(key)})`.execute(trx)
}

/** Checks the server and migrates the tables. Throws a `StartError` with one line for the operator when this fails. */
async function prepareTables(databaseUrl: string, report: Report): Promise<void> {
  const connections = createPostgresPool(databaseUrl, migrationLimits)
  const address = databaseAddress(databaseUrl)
  try {
    const db = new Kysely<AccountTables>({ dialect: new PostgresDialect({ pool: connections.pool }) })
    const { isDurable } = await checkServer(db, address)
    if (!isDurable) report({ type: 'postgres-not-durable' })
    await migrateAccountTables(db, {
      orderColumn: { type: 'bigint', define: (column) => column.primaryKey().generatedByDefaultAsIdentity() },
      location: `DATABASE_URL: the database at ${address}`,
    })
  } catch (error) {
    throw startErrorOf(error, address)
  } finally {
    await connections.close()
  }
}
