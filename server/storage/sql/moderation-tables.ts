import type { ColumnBuilderCallback, ColumnDataType, Generated, Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'
import { linkAuditEntries } from './link-audit-entries.ts'

export interface ModerationTables {
  moderators: { user_id: string }
  /** Rules of the room and its announcement, one row each. Values are JSON. */
  room_values: { key: string; value: string }
  filtered_words: { word: string; inside: number }
  restrictions: {
    id: string
    kind: string
    account_id: string | null
    network: string | null
    includes_loopback: number
    name: string
    reason: string | null
    created_at_ms: number
    ends_at_ms: number | null
  }
  account_networks: { user_id: string; network: string; used_at_ms: number }
  moderation_audit: {
    entry_order: Generated<number>
    at_ms: number
    actor: string
    /** Account of the actor; `null` for the operator, or if the account is unknown or erased. */
    actor_id: string | null
    action: string
    target: string
    /** Account that the action concerns; `null` if there is none, or if it is unknown or erased. */
    target_id: string | null
    reason: string | null
    ends_at_ms: number | null
  }
}

/** Key of the announcement in `room_values`. */
export const announcementKey = 'announcement'

/** Column whose value increases with each row. */
export interface OrderColumn {
  type: ColumnDataType
  define: ColumnBuilderCallback
}

/** Migrations of the tables of roles, rules, restrictions and the audit. */
export const moderationMigrations = (orderColumn: OrderColumn): Record<string, Migration> => ({
  '006-moderation': {
    async up(db: Kysely<never>) {
      await db.schema
        .createTable('moderators')
        .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
        .execute()
      await db.schema
        .createTable('room_values')
        .addColumn('key', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute()
      await db.schema
        .createTable('filtered_words')
        .addColumn('word', 'text', (column) => column.primaryKey())
        .addColumn('inside', 'integer', (column) => column.notNull())
        .execute()
      // The column `account_id` has no foreign key: a restriction can remain after its account is deleted.
      await db.schema
        .createTable('restrictions')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('account_id', 'text')
        .addColumn('network', 'text')
        .addColumn('includes_loopback', 'integer', (column) => column.notNull())
        .addColumn('name', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
        .addColumn('ends_at_ms', 'bigint')
        .execute()
      await db.schema
        .createTable('account_networks')
        .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
        .addColumn('network', 'text', (column) => column.notNull())
        .addColumn('used_at_ms', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('account_networks_key', ['user_id', 'network'])
        .execute()
      await db.schema
        .createTable('moderation_audit')
        .addColumn('entry_order', orderColumn.type, orderColumn.define)
        .addColumn('at_ms', 'bigint', (column) => column.notNull())
        .addColumn('actor', 'text', (column) => column.notNull())
        .addColumn('action', 'text', (column) => column.notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('ends_at_ms', 'bigint')
        .execute()
    },
  },
  '009-audit-accounts': {
    async up(db: Kysely<never>) {
      for (const column of ['actor_id', 'target_id'])
        await db.schema.alterTable('moderation_audit').addColumn(column, 'text').execute()
    },
  },
  '010-link-audit-entries': { up: linkAuditEntries },
})
