import { workerData } from 'node:worker_threads'
import { Kysely, sql } from 'kysely'
import { storageFaultFrom } from '../../../base/fault-point.ts'
import { createDatabaseGuard } from '../database-guard.ts'
import { createSqliteDialect } from '../kysely-dialect.ts'
import { openDatabase, singleValue } from '../open-database.ts'
import { serveCalls } from '../serve-calls.ts'
import { createTruncation } from '../truncate-wal.ts'
import type { AccountStore } from '../../../accounts/account-store.ts'
import type { ModerationStore } from '../../../moderation/moderation-store.ts'
import { type AccountTables, migrateAccountTables } from '../../sql/account-tables.ts'
import { type ModerationCall, runModerationCall } from '../../sql/forward-moderation.ts'
import { createKyselyAccountStore } from '../../sql/kysely-account-store.ts'
import { createKyselyModerationStore } from '../../sql/kysely-moderation-store.ts'
import type { AccountDatabase } from '../../storage.ts'

/** Calls of the storage thread for accounts. Each method of the store except `close` is one call. */
export interface AccountCalls extends Omit<AccountStore, 'close'> {
  open: () => Promise<{ isNew: boolean }>
  moderation: (call: ModerationCall) => Promise<unknown>
}

const { file } = workerData as { file: string }
let opened: AccountDatabase | null = null
/** Erases deleted rows from the write-ahead log. SQLite has overwritten them in the database. */
let eraseDeleted = (): void => undefined
/**
 * Whether a method erases deleted rows when it is done. Rows that other methods delete may stay in the write-ahead log
 * until the next sweep.
 */
const erasesDeleted: Readonly<Record<keyof ModerationStore, boolean>> = {
  load: false,
  apply: false,
  isAllowed: false,
  listAudit: false,
  noteNetwork: false,
  listNetworks: false,
  eraseNames: true,
  sweep: true,
}
const guard = createDatabaseGuard(file)
const clockMs = sql<number>`cast(unixepoch('now', 'subsec') * 1000 as integer)`

async function guarded<Result>(work: (store: AccountDatabase) => Promise<Result>): Promise<Result> {
  if (opened === null) throw new Error('The account store is not open.')
  guard.check()
  try {
    return await work(opened)
  } catch (error) {
    guard.recordError(error)
    throw error
  }
}

serveCalls<AccountCalls>({
  handlers: {
    async open() {
      const database = openDatabase(file)
      const isNew = singleValue(database, 'SELECT count(*) FROM sqlite_master') === 0
      const db = new Kysely<AccountTables>({ dialect: createSqliteDialect(database) })
      await migrateAccountTables(db, {
        orderColumn: { type: 'integer', define: (column) => column.primaryKey().autoIncrement() },
        location: `DATA_DIR: ${file}`,
      })
      guard.check()
      eraseDeleted = createTruncation(database)
      const moderation = createKyselyModerationStore(db, { clockMs })
      opened = { ...createKyselyAccountStore(db, { clockMs }), moderation }
      return { isNew }
    },
    create: (account, token) => guarded((store) => store.create(account, token)),
    isNameTaken: (keys, exceptId) => guarded((store) => store.isNameTaken(keys, exceptId)),
    findForLogin: (nameKey) => guarded((store) => store.findForLogin(nameKey)),
    addToken: (token) => guarded((store) => store.addToken(token)),
    findByToken: (hash, nowMs) => guarded((store) => store.findByToken(hash, nowMs)),
    revokeToken: (hash) => guarded((store) => store.revokeToken(hash)),
    deleteExpired: (nowMs) => guarded((store) => store.deleteExpired(nowMs)),
    listPage: (afterOrder, maxUsers, search) => guarded((store) => store.listPage(afterOrder, maxUsers, search)),
    countUsers: () => guarded((store) => store.countUsers()),
    exportAccount: (id) => guarded((store) => store.exportAccount(id)),
    listTokens: (accountId, nowMs) => guarded((store) => store.listTokens(accountId, nowMs)),
    revokeTokens: (accountId) => guarded((store) => store.revokeTokens(accountId)),
    setPasswordHash: (accountId, hash) => guarded((store) => store.setPasswordHash(accountId, hash)),
    rename: (accountId, names, reservation) => guarded((store) => store.rename(accountId, names, reservation)),
    async deleteAccount(accountId, reservation) {
      const revoked = await guarded((store) => store.deleteAccount(accountId, reservation))
      eraseDeleted()
      return revoked
    },
    async moderation(call) {
      const result = await guarded((store) => runModerationCall(store.moderation, call))
      if (erasesDeleted[call.method]) eraseDeleted()
      return result
    },
    check: () => guarded((store) => store.check()),
  },
  close: async () => opened?.close(),
  ...storageFaultFrom(process.env),
})
