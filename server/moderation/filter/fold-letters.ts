import { foldCase, lowerLatin } from '../../accounts/names/name-key.ts'
import { skeleton } from '../../accounts/names/skeleton.ts'

/** Folded forms of white space and of other characters that are not letters. */
export const space = ' '
export const separator = '-'

/**
 * Folds one character of a text in NFKC into comparable letters, spaces and separators. Returns no item for an
 * invisible character, and for a mark that belongs to no script.
 */
export type Folding = (character: string) => readonly string[]

/** Invisible characters, and marks that belong to no script. Marks of a script distinguish words. */
const ignored = /\p{Cf}|\p{Default_Ignorable_Code_Point}|(?=\p{sc=Inherited})\p{M}/u
const letter = /[\p{L}\p{N}\p{M}]/u
/**
 * Number of folding passes. A skeleton can have a skeleton of its own: a Greek capital 'Μ' becomes 'M', then 'm', then
 * 'rn'.
 */
const foldingSteps = 3
/** Maximum number of characters in the cache of folded forms: more than a room in several scripts uses. */
const maxCachedCharacters = 5_000

/**
 * First characters of three ranges with the letters A to Z: white on black in circles, white on black in squares, and
 * the regional indicators of flags. NFKC does not change these characters.
 */
const enclosedLetters = [0x1f150, 0x1f170, 0x1f1e6]

/** Returns the plain letter of an enclosed letter. Returns any other character unchanged. */
function plainLetter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const first = enclosedLetters.find((start) => code >= start && code < start + 26)
  return first === undefined ? character : String.fromCodePoint(0x61 + code - first)
}

/** Folds a character by case first, so that 'KILL' and 'kill' are equal in every script. */
const byCase = withCache((text) => repeat((part) => skeleton(foldCase(part)), text))

/** Folds a character by its look as written: a Greek capital 'Ν' is an 'N', and 'I', 'l', 'i' and '1' are equal. */
const byLook = withCache((text) => repeat((part) => skeleton(lowerLatin(part)), text).replaceAll('i', 'l'))

/** All foldings. A word matches a text if it matches under one of them. */
export const foldings: readonly Folding[] = [byCase, byLook]

function repeat(step: (text: string) => string, text: string): string {
  let folded = text
  for (let count = 0; count < foldingSteps; count++) folded = step(folded)
  return folded
}

function withCache(fold: (character: string) => string): Folding {
  const known = new Map<string, readonly string[]>()
  return (character) => {
    const folded = known.get(character)
    if (folded !== undefined) return folded
    if (known.size >= maxCachedCharacters) known.clear()
    const parts = Array.from(fold(plainLetter(character))).flatMap(partOf)
    known.set(character, parts)
    return parts
  }
}

function partOf(character: string): string | [] {
  if (ignored.test(character)) return []
  if (letter.test(character)) return character
  return /\s/u.test(character) ? space : separator
}
