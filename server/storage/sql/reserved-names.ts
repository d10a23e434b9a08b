import { createHash } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { AccountNames } from '../../accounts/account-store.ts'
import type { AccountTables } from './account-tables.ts'

type NameKeys = Pick<AccountNames, 'nameKey' | 'lookKey'>

/** Creates the queries for the reserved names of accounts that were renamed or deleted recently. */
export function createReservedNames(clockMs: RawBuilder<number>) {
  return {
    /** Reserves the name. `accountId` is the account that had it. */
    async add(
      db: Kysely<AccountTables>,
      keys: NameKeys,
      accountId: string,
      { durationMs, nowMs }: { durationMs: number; nowMs?: number },
    ): Promise<void> {
      const until = nowMs === undefined ? sql<number>`${clockMs} + ${sql.lit(durationMs)}` : nowMs + durationMs
      const values = hashesOf(keys).map((hash) => ({ key_hash: hash, account_id: accountId, until_ms: until }))
      await db
        .insertInto('reserved_names')
        .values(values)
        .onConflict((conflict) => conflict.column('key_hash').doUpdateSet({ account_id: accountId, until_ms: until }))
        .execute()
    },

    /** Returns whether a name is reserved for an account other than `accountId`. */
    async includes(
      db: Kysely<AccountTables>,
      keys: NameKeys,
      accountId: string | null,
      nowMs?: number,
    ): Promise<boolean> {
      const row = await db
        .selectFrom('reserved_names')
        .select('key_hash')
        .where('key_hash', 'in', hashesOf(keys))
        .where('account_id', '!=', accountId ?? '')
        .where('until_ms', '>', nowMs ?? clockMs)
        .executeTakeFirst()
      return row !== undefined
    },

    async deleteExpired(db: Kysely<AccountTables>, nowMs?: number): Promise<void> {
      await db
        .deleteFrom('reserved_names')
        .where('until_ms', '<=', nowMs ?? clockMs)
        .execute()
    },
  }
}

const hashesOf = ({ nameKey, lookKey }: NameKeys) => [hashOf('name', nameKey), hashOf('look', lookKey)]

function hashOf(kind: string, key: string): string {
  return createHash('sha256').update(`${kind}\n${key}`).digest('hex')
}
