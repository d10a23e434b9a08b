import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { type AccountStore, maxTokensPerAccount } from '../../accounts/account-store.ts'
import type { AccountTables } from './account-tables.ts'

interface DatabaseFeatures {
  /** Time of the database's clock in milliseconds, as a whole number. */
  clockMs: RawBuilder<number>
  /**
   * Serializes registrations in a database that runs transactions concurrently. Without it, a client that lists
   * accounts page by page could miss an account that has a lower order number but commits later.
   */
  lockRegistrations?: (trx: Transaction<AccountTables>) => Promise<void>
}

/** Creates an account store on any Kysely database. */
export function createKyselyAccountStore(
  db: Kysely<AccountTables>,
  { clockMs, lockRegistrations }: DatabaseFeatures,
): AccountStore {
  const expiryOf = ({ lifetimeMs, nowMs }: { lifetimeMs: number; nowMs?: number }) =>
    nowMs === undefined ? sql<number>`${clockMs} + ${sql.lit(lifetimeMs)}` : nowMs + lifetimeMs

  return {
    async create({ id, name, nameKey, lookKey, email, emailKey, passwordHash }, token) {
      return db.transaction().execute(async (trx) => {
        await lockRegistrations?.(trx)
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('users')
          .values({
            id,
            name,
            name_key: nameKey,
            look_key: lookKey,
            email,
            email_key: emailKey,
            password_hash: passwordHash,
          })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (Number(numInsertedOrUpdatedRows) === 0) {
          return (await isNameTaken(trx, nameKey, lookKey)) ? 'name_taken' : 'email_taken'
        }
        await trx
          .insertInto('tokens')
          .values({ hash: token.hash, user_id: id, expires_at_ms: expiryOf(token) })
          .execute()
        return 'created'
      })
    },

    isNameTaken: ({ nameKey, lookKey }) => isNameTaken(db, nameKey, lookKey),

    async findForLogin(nameKey) {
      // No account name contains NUL, and PostgreSQL rejects text that does.
      if (nameKey.includes('\0')) return null
      const row = await db
        .selectFrom('users')
        .select(['id', 'name', 'password_hash'])
        .where('name_key', '=', nameKey)
        .executeTakeFirst()
      return row === undefined ? null : { id: row.id, name: row.name, passwordHash: row.password_hash }
    },

    async addToken({ hash, accountId, ...validity }) {
      const dropped = await db.transaction().execute(async (trx) => {
        await trx
          .insertInto('tokens')
          .values({ hash, user_id: accountId, expires_at_ms: expiryOf(validity) })
          .execute()
        // Keep the new token even if it expires before the others: the lifetime or the clock may have changed.
        const others = trx
          .selectFrom('tokens')
          .select('hash')
          .where('user_id', '=', accountId)
          .where('hash', '!=', hash)
        return trx
          .deleteFrom('tokens')
          .where('user_id', '=', accountId)
          .where('hash', '!=', hash)
          .where('hash', 'not in', others.orderBy('expires_at_ms', 'desc').limit(maxTokensPerAccount - 1))
          .returning('hash')
          .execute()
      })
      return dropped.map((token) => token.hash)
    },

    async findByToken(hash, nowMs) {
      const row = await db
        .selectFrom('tokens')
        .innerJoin('users', 'users.id', 'tokens.user_id')
        .select(['users.id', 'users.name'])
        .where('tokens.hash', '=', hash)
        .where('tokens.expires_at_ms', '>', nowMs ?? clockMs)
        .executeTakeFirst()
      return row ?? null
    },

    async revokeToken(hash) {
      await db.deleteFrom('tokens').where('hash', '=', hash).execute()
    },

    async deleteExpiredTokens(nowMs) {
      await db
        .deleteFrom('tokens')
        .where('expires_at_ms', '<=', nowMs ?? clockMs)
        .execute()
    },

    async listPage(afterOrder, maxUsers) {
      const rows = await db
        .selectFrom('users')
        .select(['registered_order', 'id', 'name', 'email'])
        .where('registered_order', '>', afterOrder)
        .orderBy('registered_order')
        .limit(maxUsers)
        .execute()
      return rows.map(({ registered_order: order, id, name, email }) => ({ order, user: { _id: id, name, email } }))
    },

    async check() {
      await db.selectFrom('users').select('id').limit(1).execute()
    },

    close: () => db.destroy(),
  }
}

async function isNameTaken(db: Kysely<AccountTables>, nameKey: string, lookKey: string): Promise<boolean> {
  const sameName = await db
    .selectFrom('users')
    .select('id')
    .where((row) => row.or([row('name_key', '=', nameKey), row('look_key', '=', lookKey)]))
    .executeTakeFirst()
  return sameName !== undefined
}
