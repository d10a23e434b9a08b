import type { Kysely } from 'kysely'
import { normalizeName } from '../../../contract/names.ts'
import type { AccountTables } from './account-tables.ts'
import { exactNameKey, lookKey, nameKey } from '../../accounts/names/name-key.ts'

/**
 * Recomputes the name keys of all accounts by the current rules. If two existing names now have the same key, the older
 * account gets that key, so that no new account can get it. The newer account gets an exact key. With an exact name key,
 * it logs in with its exact name.
 */
export async function rekeyNames(db: Kysely<AccountTables>): Promise<void> {
  const users = await db
    .selectFrom('users')
    .select(['id', 'name', 'name_key', 'look_key'])
    .orderBy('registered_order')
    .execute()
  const names = new Set<string>()
  const looks = new Set<string>()
  const changes = users.flatMap(({ id, name, ...old }) => {
    const [key, look] = [nameKey(name), lookKey(name)]
    const keys = {
      name_key: names.has(key) ? exactNameKey(key, normalizeName(name)) : key,
      look_key: looks.has(look) ? exactNameKey(look, id) : look,
    }
    names.add(keys.name_key)
    looks.add(keys.look_key)
    return keys.name_key === old.name_key && keys.look_key === old.look_key ? [] : [{ id, keys }]
  })
  // Set temporary keys first: the new key of one account may be the old key of another, and keys are unique.
  for (const { id } of changes) {
    const temporary = exactNameKey('', id)
    await db.updateTable('users').set({ name_key: temporary, look_key: temporary }).where('id', '=', id).execute()
  }
  for (const { id, keys } of changes) await db.updateTable('users').set(keys).where('id', '=', id).execute()
}
