import type { Generated, Kysely } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { StartError } from '../../base/start-error.ts'
import { type ModerationTables, moderationMigrations, type OrderColumn } from './moderation-tables.ts'
import { rekeyNames } from './rekey-names.ts'

export interface AccountTables extends ModerationTables {
  users: {
    registered_order: Generated<number>
    id: string
    name: string
    name_key: string
    look_key: string
    email: string
    email_key: string
    password_hash: string
  }
  tokens: {
    hash: string
    user_id: string
    expires_at_ms: number
  }
  /** Reserved names of renamed and deleted accounts. The table holds hashes of the keys, not the names. */
  reserved_names: {
    key_hash: string
    account_id: string
    until_ms: number
  }
}

/** Differences between SQLite and PostgreSQL. */
interface Dialect {
  orderColumn: OrderColumn
  /** Setting and location of the database, for error messages. */
  location: string
}

const migrationsOf = ({ orderColumn }: Dialect): Record<string, Migration> => ({
  '001-users-and-tokens': {
    async up(db: Kysely<never>) {
      await db.schema
        .createTable('users')
        .addColumn('place', orderColumn.type, orderColumn.define)
        .addColumn('id', 'text', (column) => column.notNull().unique())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('name_key', 'text', (column) => column.notNull().unique())
        .addColumn('look_key', 'text', (column) => column.notNull().unique())
        .addColumn('email', 'text', (column) => column.notNull())
        .addColumn('email_key', 'text', (column) => column.notNull().unique())
        .addColumn('password_hash', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('tokens')
        .addColumn('hash', 'text', (column) => column.primaryKey())
        .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
        .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema.createIndex('tokens_by_expiry').on('tokens').column('expires_at_ms').execute()
    },
  },
  '002-registered-order': {
    async up(db: Kysely<never>) {
      await db.schema.alterTable('users').renameColumn('place', 'registered_order').execute()
    },
  },
  // Repeat this migration under a new name whenever the rules for name keys change.
  '003-name-keys': { up: rekeyNames },
  '004-tokens-by-user': {
    async up(db: Kysely<never>) {
      await db.schema.createIndex('tokens_by_user').on('tokens').columns(['user_id', 'expires_at_ms']).execute()
    },
  },
  '005-name-keys-without-strokes': { up: rekeyNames },
  ...moderationMigrations(orderColumn),
  '007-reserved-names': {
    async up(db: Kysely<never>) {
      await db.schema
        .createTable('reserved_names')
        .addColumn('key_hash', 'text', (column) => column.primaryKey())
        .addColumn('account_id', 'text', (column) => column.notNull())
        .addColumn('until_ms', 'bigint', (column) => column.notNull())
        .execute()
    },
  },
  '008-name-keys-normalized': { up: rekeyNames },
  '011-name-keys-of-sequences': { up: rekeyNames },
})

/** Creates or migrates the tables. Several nodes may call it at once: on PostgreSQL, Kysely takes an advisory lock. */
export async function migrateAccountTables(db: Kysely<AccountTables>, dialect: Dialect): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsOf(dialect) } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new StartError(
      `${dialect.location} was written by a newer version of Chat Room; start that version, or restore a backup`,
    )
  }
  throw error
}
