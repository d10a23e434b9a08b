import { DatabaseSync } from 'node:sqlite'
import { type CompiledQuery, Kysely, sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { createSqliteDialect } from '../sqlite/kysely-dialect.ts'
import { type AccountTables, migrateAccountTables } from './account-tables.ts'
import { createKyselyAccountStore } from './kysely-account-store.ts'

test('API-3 the sweep of expired tokens uses the index of their expiry', async () => {
  const database = new DatabaseSync(':memory:')
  const queries: CompiledQuery[] = []
  const db = new Kysely<AccountTables>({
    dialect: createSqliteDialect(database),
    log: ({ query }) => void queries.push(query),
  })
  const store = createKyselyAccountStore(db, { clockMs: sql<number>`unixepoch() * 1000` })
  onTestFinished(() => store.close())
  await migrateAccountTables(db, {
    orderColumn: { type: 'integer', define: (column) => column.primaryKey().autoIncrement() },
    location: 'in memory',
  })
  queries.length = 0
  await store.deleteExpired()
  await store.deleteExpired(Date.now())
  const plans = queries
    .filter((query) => query.sql.includes('"tokens"'))
    .map((query) => database.prepare(`EXPLAIN QUERY PLAN ${query.sql}`).all(...(query.parameters as number[])))
  const usesIndex = [{ detail: expect.stringMatching(/^SEARCH tokens USING .*INDEX tokens_by_expiry/) }]
  expect(plans).toMatchObject([usesIndex, usesIndex])
})
