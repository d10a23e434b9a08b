import type { Kysely } from 'kysely'
import { operatorName } from '../../moderation/moderation-store.ts'
import type { AccountTables } from './account-tables.ts'

/**
 * Sets the account ids of the audit entries that an earlier version stored with names only. Reads the entries from the
 * newest to the oldest and follows each rename back, so that an entry gets the account that had the name at its time.
 */
export async function linkAuditEntries(db: Kysely<AccountTables>): Promise<void> {
  const users = await db.selectFrom('users').select(['id', 'name']).execute()
  const entries = await db
    .selectFrom('moderation_audit')
    .select(['entry_order', 'actor', 'action', 'target', 'reason'])
    .orderBy('entry_order', 'desc')
    .execute()
  const idByName = new Map(users.map(({ id, name }) => [name, id]))
  for (const { entry_order, actor, action, target, reason } of entries) {
    const renamedId = action === 'users rename' && reason !== null ? idByName.get(reason) : undefined
    // The entry of a rename that failed has a target that is still the name of an account.
    if (renamedId !== undefined && reason !== null && !idByName.has(target)) {
      idByName.delete(reason)
      idByName.set(target, renamedId)
    }
    const name = action === 'end-restriction' ? target.replace(/^(mute|ban) of /, '') : target
    const target_id = idByName.get(name) ?? null
    // An actor whose account name looks like that of the operator was stored with a suffix.
    const actor_id = actor === operatorName ? null : (idByName.get(actor.replace(/ \(account\)$/, '')) ?? null)
    if (actor_id === null && target_id === null) continue
    await db
      .updateTable('moderation_audit')
      .set({ actor_id, target_id })
      .where('entry_order', '=', entry_order)
      .execute()
  }
}
