import { countCharacters, maxStoredNameCharacters, maxTypedNameUnits } from '../../../contract/limits.ts'
import { normalizeName } from '../../../contract/names.ts'
import type { AccountStore } from '../account-store.ts'
import { exactNameKey, nameKey } from './name-key.ts'

/** Keys of the name of an account. For `exact`, see `exactNameKey`. */
export interface LookupKeys {
  name: string
  exact: string
}

/** Returns the keys under which an account can be found, or `null` for a name that is too long for any account. */
export function lookupKeys(typedName: string): LookupKeys | null {
  if (typedName.length > maxTypedNameUnits) return null
  // Normalization can turn one character into eighteen.
  const name = normalizeName(typedName)
  if (countCharacters(name) > maxStoredNameCharacters) return null
  const key = nameKey(name)
  return { name: key, exact: exactNameKey(key, name) }
}

export async function findAccount(store: Pick<AccountStore, 'findForLogin'>, keys: LookupKeys | null) {
  return keys === null ? null : ((await store.findForLogin(keys.exact)) ?? (await store.findForLogin(keys.name)))
}
