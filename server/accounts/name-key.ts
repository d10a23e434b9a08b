import { normalizeName } from '../../contract/names.ts'

/** Two names with the same key look alike: only one of them can be registered. */
export function nameKey(name: string): string {
  return normalizeName(name).toLowerCase()
}
