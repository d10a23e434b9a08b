import { Kysely } from 'kysely'
import { createSqliteDialect } from '../sqlite/kysely-dialect.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountTables, migrateAccountTables } from './account-tables.ts'
import { createKyselyAccountStore } from './kysely-account-store.ts'

export async function openSqliteAccountStore(file: string): Promise<AccountStore> {
  const db = new Kysely<AccountTables>({ dialect: createSqliteDialect(file) })
  await migrateAccountTables(db)
  return createKyselyAccountStore(db)
}
