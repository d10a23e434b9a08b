import type { Kysely } from 'kysely'
import { normalizeName } from '../../../contract/names.ts'
import type { AccountTables } from './account-tables.ts'
import { exactNameKey, lookKey, nameKey } from '../../accounts/names/name-key.ts'

/**
 * Gives every account the keys of today's rules. Where two names that lived side by side now read alike, the older
 * account has the key, so that nobody new gets it; the newer one goes on to log in by its name as it is written.
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
  // All out of the way first: one account's new key may be another's old one.
  for (const { id } of changes) {
    const free = exactNameKey('', id)
    await db.updateTable('users').set({ name_key: free, look_key: free }).where('id', '=', id).execute()
  }
  for (const { id, keys } of changes) await db.updateTable('users').set(keys).where('id', '=', id).execute()
}
