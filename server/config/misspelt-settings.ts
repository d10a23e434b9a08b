import { settingNames } from './setting-names.ts'
import type { Environment } from './settings-reader.ts'

/** Names shorter than this are close to too many that belong to others (HOST and HOME). */
const minLength = 6
const maxDistance = 2
const knownNames: readonly string[] = settingNames

interface Misspelt {
  name: string
  meant: string
}

/** Variables that the server does not know and that are nearly ones that it does: most likely set to no effect. */
export function findMisspeltSettings(env: Environment): Misspelt[] {
  const found: Misspelt[] = []
  for (const name of Object.keys(env)) {
    if (knownNames.includes(name) || name.length < minLength) continue
    const meant = knownNames.find((known) => known.length >= minLength && isNearly(name.toUpperCase(), known))
    if (meant !== undefined) found.push({ name, meant })
  }
  return found
}

function isNearly(name: string, known: string): boolean {
  return Math.abs(name.length - known.length) <= maxDistance && editDistance(name, known) <= maxDistance
}

/** How many letters have to be added, left out or changed (Levenshtein). */
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
