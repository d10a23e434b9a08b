import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { noRules, restrictionKinds } from '../../../contract/constants.ts'
import type { RestrictionKind } from '../../../contract/moderation.ts'
import {
  accountNetworkLifetimeMs,
  auditLifetimeMs,
  erasedName,
  maxAccountNetworks,
  type ModerationStore,
  type RestrictionTarget,
  type StoredModeration,
} from '../../moderation/moderation-store.ts'
import type { AccountTables } from './account-tables.ts'
import { applyChange, deleteEndedRestrictions, isAllowed, ruleNames } from './apply-moderation-change.ts'
import { announcementKey } from './moderation-tables.ts'

interface DatabaseFeatures {
  /** Time of the database's clock in milliseconds, as a whole number. */
  clockMs: RawBuilder<number>
  /**
   * Serializes changes in a database that runs transactions concurrently, so that each change reads the roles
   * that the previous change stored.
   */
  lockChanges?: (trx: Transaction<AccountTables>) => Promise<void>
}

/** Creates a moderation store on any Kysely database. */
export function createKyselyModerationStore(
  db: Kysely<AccountTables>,
  { clockMs, lockChanges }: DatabaseFeatures,
): ModerationStore {
  async function loadRestrictions(): Promise<StoredModeration['restrictions']> {
    const rows = await db
      .selectFrom('restrictions')
      .selectAll()
      .where((row) => row.or([row('ends_at_ms', 'is', null), row('ends_at_ms', '>', clockMs)]))
      .orderBy('created_at_ms')
      .execute()
    const accountIds = rows.flatMap(({ account_id }) => account_id ?? [])
    const networks =
      accountIds.length === 0
        ? []
        : await db
            .selectFrom('account_networks')
            .innerJoin('restrictions', 'restrictions.account_id', 'account_networks.user_id')
            .select(['restrictions.id', 'account_networks.network'])
            .whereRef('used_at_ms', '>', sql<number>`created_at_ms - ${sql.lit(accountNetworkLifetimeMs)}`)
            .execute()
    const networksOf = Map.groupBy(networks, ({ id }) => id)
    return rows.map((row) => ({
      ...({ accountId: row.account_id, network: row.network } as RestrictionTarget),
      id: row.id,
      kind: kindOf(row.kind),
      includesLoopback: row.includes_loopback === 1,
      name: row.name,
      reason: row.reason,
      endsAtMs: row.ends_at_ms,
      accountNetworks: networksOf.get(row.id)?.map(({ network }) => network) ?? [],
    }))
  }

  return {
    async load() {
      const [{ nowMs }] = (await sql<{ nowMs: number }>`select ${clockMs} as "nowMs"`.execute(db)).rows as [
        { nowMs: number },
      ]
      const values = await db.selectFrom('room_values').selectAll().execute()
      const stored = new Map(values.map(({ key, value }) => [key, parseJson(value)]))
      // A later version may have stored further keys, and runs beside this one during a rolling upgrade.
      const rules = ruleNames.map((key) => [key, stored.has(key) ? stored.get(key) : noRules[key]])
      const words = await db.selectFrom('filtered_words').selectAll().orderBy('word').execute()
      return {
        moderators: await db
          .selectFrom('moderators')
          .innerJoin('users', 'users.id', 'moderators.user_id')
          .select(['users.id', 'users.name'])
          .orderBy('users.name')
          .execute(),
        rules: Object.fromEntries(rules),
        announcement: stored.get(announcementKey) ?? null,
        words: words.map(({ word, inside }) => ({ word, inside: inside === 1 })),
        restrictions: await loadRestrictions(),
        nowMs,
      }
    },

    apply: (change, record) =>
      db.transaction().execute(async (trx) => {
        await lockChanges?.(trx)
        return applyChange(trx, clockMs, change, record)
      }),

    isAllowed: (actor) => isAllowed(db, clockMs, actor),

    async listAudit(limit, accountId) {
      const rows = await db
        .selectFrom('moderation_audit')
        .selectAll()
        .where('at_ms', '>', ago(clockMs, auditLifetimeMs))
        .$if(accountId !== undefined, (query) =>
          query.where((row) => row.or([row('actor_id', '=', accountId ?? ''), row('target_id', '=', accountId ?? '')])),
        )
        .orderBy('entry_order', 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ at_ms: atMs, actor, action, target, reason, ends_at_ms: endsAtMs }) => {
        return { atMs, actor, action, target, reason, endsAtMs }
      })
    },

    async noteNetwork(accountId, network) {
      await db
        .insertInto('account_networks')
        .values({ user_id: accountId, network, used_at_ms: clockMs })
        .onConflict((conflict) => conflict.columns(['user_id', 'network']).doUpdateSet({ used_at_ms: clockMs }))
        .execute()
      const newest = db.selectFrom('account_networks').select('network').where('user_id', '=', accountId)
      await db
        .deleteFrom('account_networks')
        .where('user_id', '=', accountId)
        .where('network', 'not in', newest.orderBy('used_at_ms', 'desc').limit(maxAccountNetworks))
        .execute()
    },

    async listNetworks(accountId) {
      const rows = await db
        .selectFrom('account_networks')
        .select(['network', 'used_at_ms'])
        .where('user_id', '=', accountId)
        .orderBy('used_at_ms', 'desc')
        .execute()
      return rows.map(({ network, used_at_ms: usedAtMs }) => ({ network, usedAtMs }))
    },

    async eraseNames(accountId) {
      await db.transaction().execute(async (trx) => {
        const actor = { actor: erasedName, actor_id: null }
        await trx.updateTable('moderation_audit').set(actor).where('actor_id', '=', accountId).execute()
        // The reason of an action is a text about its target, and can contain the name. The reason of a rename is the
        // new name.
        const target = { target: erasedName, target_id: null, reason: null }
        await trx.updateTable('moderation_audit').set(target).where('target_id', '=', accountId).execute()
        const restricted = { name: erasedName, reason: null }
        await trx.updateTable('restrictions').set(restricted).where('account_id', '=', accountId).execute()
      })
    },

    async sweep() {
      await deleteEndedRestrictions(db, clockMs)
      await db.deleteFrom('moderation_audit').where('at_ms', '<=', ago(clockMs, auditLifetimeMs)).execute()
      await db
        .deleteFrom('account_networks')
        .where('used_at_ms', '<=', ago(clockMs, accountNetworkLifetimeMs))
        .where((row) =>
          row.not(
            row.exists(
              row
                .selectFrom('restrictions')
                .select('id')
                .whereRef('restrictions.account_id', '=', 'account_networks.user_id'),
            ),
          ),
        )
        .execute()
    },
  }
}

/**
 * Returns the kind of a stored restriction. Throws for an unknown kind, so that the node keeps the restrictions that it
 * has loaded.
 */
function kindOf(stored: string): RestrictionKind {
  const kind = restrictionKinds.find((known) => known === stored)
  if (kind === undefined) throw new Error(`unknown kind of restriction: ${stored}`)
  return kind
}

/**
 * Parses a stored value. Returns a text that is not JSON unchanged: `checkStored` rejects it, because no value is a
 * text.
 */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const ago = (clockMs: RawBuilder<number>, ms: number) => sql<number>`${clockMs} - ${sql.lit(ms)}`
