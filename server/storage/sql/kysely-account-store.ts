import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type AccountStore, expiredTokenKeptMs, maxTokensPerAccount } from '../../accounts/account-store.ts'
import { createAccountChanges, deleteTokens, hasAccount, hasEmail, type DatabaseFeatures } from './account-changes.ts'
import type { AccountTables } from './account-tables.ts'
import { createReservedNames } from './reserved-names.ts'

/** Creates an account store on any Kysely database. */
export function createKyselyAccountStore(db: Kysely<AccountTables>, features: DatabaseFeatures): AccountStore {
  const { clockMs, lockNames } = features
  const reservedNames = createReservedNames(clockMs)
  const expiryOf = ({ lifetimeMs, nowMs }: { lifetimeMs: number; nowMs?: number | undefined }) =>
    nowMs === undefined ? sql<number>`${clockMs} + ${sql.lit(lifetimeMs)}` : nowMs + lifetimeMs

  return {
    async create({ id, name, nameKey, lookKey, email, emailKey, passwordHash }, token) {
      return db.transaction().execute(async (trx) => {
        await lockNames?.(trx)
        if (await reservedNames.includes(trx, { nameKey, lookKey }, id, token.nowMs)) return 'name_taken'
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
          if (await hasAccount(trx, { nameKey, lookKey })) return 'name_taken'
          if (await hasEmail(trx, emailKey)) return 'email_taken'
          throw new Error('the account conflicts with another one, but neither in its name nor in its e-mail address')
        }
        await trx
          .insertInto('tokens')
          .values({ hash: token.hash, user_id: id, expires_at_ms: expiryOf(token) })
          .execute()
        return 'created'
      })
    },

    isNameTaken: async (keys, exceptId) =>
      (await hasAccount(db, keys, exceptId ?? undefined)) || reservedNames.includes(db, keys, exceptId),

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

    async listTokens(accountId, nowMs) {
      const rows = await db
        .selectFrom('tokens')
        .select(['hash', 'expires_at_ms'])
        .where('user_id', '=', accountId)
        .where('expires_at_ms', '>', nowMs ?? clockMs)
        .orderBy('expires_at_ms')
        .execute()
      return rows.map(({ hash, expires_at_ms: expiresAtMs }) => ({ hash, expiresAtMs }))
    },

    async revokeToken(hash) {
      await db.deleteFrom('tokens').where('hash', '=', hash).execute()
    },

    revokeTokens: (accountId) => deleteTokens(db, accountId),

    async deleteExpired(nowMs) {
      // The condition compares the column itself, so that the database can use the index of the column.
      await db
        .deleteFrom('tokens')
        .where('expires_at_ms', '<=', expiryOf({ lifetimeMs: -expiredTokenKeptMs, nowMs }))
        .execute()
      await reservedNames.deleteExpired(db, nowMs)
    },

    async listPage(afterOrder, maxUsers, search) {
      let query = db
        .selectFrom('users')
        .select(['registered_order', 'id', 'name', 'email'])
        .where('registered_order', '>', afterOrder)
      if (search !== undefined) {
        const { nameKey, emailKey } = search
        query = query.where((row) => row.or([contains('name_key', nameKey), contains('email_key', emailKey)]))
      }
      const rows = await query.orderBy('registered_order').limit(maxUsers).execute()
      return rows.map(({ registered_order: order, id, name, email }) => ({ order, user: { _id: id, name, email } }))
    },

    ...createAccountChanges(db, features),

    async check() {
      await db.selectFrom('users').select('id').limit(1).execute()
    },

    close: () => db.destroy(),
  }
}

/** Returns a condition: the column contains the text, whose wildcards have no effect. */
function contains(column: 'name_key' | 'email_key', text: string): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`
}
