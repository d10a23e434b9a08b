import { settingNames } from './setting-schema.ts'
import type { Environment } from './settings.ts'

/**
 * Minimum length of a name to compare. Shorter names are similar to too many variables of other programs, like HOST and
 * HOME.
 */
const minLength = 6
const maxDistance = 2
const knownNames: readonly string[] = settingNames

interface Misspelt {
  name: string
  intended: string
}

/** Returns the variables that are not settings but have a similar name: probably typing errors. */
export function findMisspeltSettings(env: Environment): Misspelt[] {
  const found: Misspelt[] = []
  for (const name of Object.keys(env)) {
    if (knownNames.includes(name) || name.length < minLength) continue
    const intended = knownNames.find((known) => known.length >= minLength && isSimilar(name.toUpperCase(), known))
    if (intended !== undefined) found.push({ name, intended })
  }
  return found
}

function isSimilar(name: string, known: string): boolean {
  return Math.abs(name.length - known.length) <= maxDistance && editDistance(name, known) <= maxDistance
}

/** Returns the Levenshtein distance of two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const changed = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
