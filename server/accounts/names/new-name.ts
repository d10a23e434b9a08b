import { maxNameCharacters, maxTypedNameUnits } from '../../../contract/limits.ts'
import { findNameProblem, normalizeName } from '../../../contract/names.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { AccountNames, AccountStore } from '../account-store.ts'
import { lookKey, looksAnonymous, nameKey } from './name-key.ts'
import { findScriptProblem } from './name-scripts.ts'

export const nameTaken = () => new RejectionError('name_taken', 'This name is already taken.')

/** Rejects a name that is far too long. This check precedes normalization, which is expensive. */
export function rejectLongName(typedName: string): void {
  if (typedName.length > maxTypedNameUnits) {
    throw new RejectionError('invalid', `The name is longer than ${maxNameCharacters} characters.`)
  }
}

/** Returns the normalized new name of an account and its keys. Rejects a name that breaks a rule for new names. */
export async function readNewName(store: Pick<AccountStore, 'isNameTaken'>, typedName: string): Promise<AccountNames> {
  const name = normalizeName(typedName)
  const problem = findNameProblem(name)
  if (problem !== null) throw new RejectionError('invalid', problem)
  if (looksAnonymous(name)) throw new RejectionError('invalid', 'This name looks like the name of an anonymous user.')
  const keys = { nameKey: nameKey(name), lookKey: lookKey(name) }
  const scriptProblem = findScriptProblem(name)
  if (scriptProblem !== null) {
    if (await store.isNameTaken(keys, null)) throw nameTaken()
    throw new RejectionError('invalid', scriptProblem)
  }
  return { name, ...keys }
}
