import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { AccountNames, AccountStore } from '../../accounts/account-store.ts'
import type { AccountTables } from './account-tables.ts'
import { createReservedNames } from './reserved-names.ts'

export interface DatabaseFeatures {
  /** Time of the database's clock in milliseconds, as a whole number. */
  clockMs: RawBuilder<number>
  /**
   * Serializes changes of names in a database that runs transactions concurrently. Without it, a client that lists
   * accounts page by page could miss an account with a lower order number that commits later. A registration could take
   * a name that another transaction reserves.
   */
  lockNames?: (trx: Transaction<AccountTables>) => Promise<void>
}

/** Names of the columns in `users export`; `null` for secrets, and for keys that follow from another column. */
const exportedNames: Readonly<Record<keyof AccountTables['users'], string | null>> = {
  registered_order: 'position',
  id: 'id',
  name: 'name',
  name_key: null,
  look_key: null,
  email: 'email',
  email_key: null,
  password_hash: null,
}

type AccountChanges = Pick<
  AccountStore,
  'countUsers' | 'exportAccount' | 'setPasswordHash' | 'rename' | 'deleteAccount'
>

/** Creates the operations of the account store that change, export or count existing accounts. */
export function createAccountChanges(
  db: Kysely<AccountTables>,
  { clockMs, lockNames }: DatabaseFeatures,
): AccountChanges {
  const reservedNames = createReservedNames(clockMs)

  return {
    async countUsers() {
      const { count } = await db
        .selectFrom('users')
        .select(sql<number>`count(*)`.as('count'))
        .executeTakeFirstOrThrow()
      return count
    },

    async exportAccount(id) {
      const row = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      if (row === undefined) return null
      const columns = Object.keys(exportedNames) as (keyof typeof exportedNames)[]
      return Object.fromEntries(
        columns.flatMap((column) => {
          const name = exportedNames[column]
          return name === null ? [] : [[name, row[column]]]
        }),
      )
    },

    async setPasswordHash(accountId, passwordHash) {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ password_hash: passwordHash })
        .where('id', '=', accountId)
        .executeTakeFirst()
      return Number(numUpdatedRows) > 0
    },

    async rename(accountId, { name, nameKey, lookKey }, reservation) {
      return db.transaction().execute(async (trx) => {
        await lockNames?.(trx)
        const old = await keysOf(trx, accountId)
        if (old === null) return 'not_found'
        const keys = { nameKey, lookKey }
        if (await hasAccount(trx, keys, accountId)) return 'name_taken'
        if (await reservedNames.includes(trx, keys, accountId, reservation.nowMs)) return 'name_taken'
        await trx
          .updateTable('users')
          .set({ name, name_key: nameKey, look_key: lookKey })
          .where('id', '=', accountId)
          .execute()
        await reservedNames.add(trx, old, accountId, reservation)
        return 'renamed'
      })
    },

    async deleteAccount(accountId, reservation) {
      return db.transaction().execute(async (trx) => {
        await lockNames?.(trx)
        const keys = await keysOf(trx, accountId)
        if (keys === null) return []
        const hashes = await deleteTokens(trx, accountId)
        await trx.deleteFrom('users').where('id', '=', accountId).execute()
        await reservedNames.add(trx, keys, accountId, reservation)
        return hashes
      })
    },
  }
}

type NameKeys = Omit<AccountNames, 'name'>

/** Returns whether an account other than `exceptId` has one of the keys. */
export async function hasAccount(
  db: Kysely<AccountTables>,
  { nameKey, lookKey }: NameKeys,
  exceptId = '',
): Promise<boolean> {
  const sameName = await db
    .selectFrom('users')
    .select('id')
    .where((row) => row.or([row('name_key', '=', nameKey), row('look_key', '=', lookKey)]))
    .where('id', '!=', exceptId)
    .executeTakeFirst()
  return sameName !== undefined
}

async function keysOf(db: Kysely<AccountTables>, accountId: string): Promise<NameKeys | null> {
  const row = await db
    .selectFrom('users')
    .select(['name_key', 'look_key'])
    .where('id', '=', accountId)
    .executeTakeFirst()
  return row === undefined ? null : { nameKey: row.name_key, lookKey: row.look_key }
}

export async function deleteTokens(db: Kysely<AccountTables>, accountId: string): Promise<string[]> {
  const deleted = await db.deleteFrom('tokens').where('user_id', '=', accountId).returning('hash').execute()
  return deleted.map(({ hash }) => hash)
}

export async function hasEmail(db: Kysely<AccountTables>, emailKey: string): Promise<boolean> {
  const sameEmail = await db.selectFrom('users').select('id').where('email_key', '=', emailKey).executeTakeFirst()
  return sameEmail !== undefined
}
