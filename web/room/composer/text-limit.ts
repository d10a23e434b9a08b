import { countCharacters } from '../../../contract/limits.ts'

/** How many characters a text has, where that is too many. Nothing is cut: it can be shortened, but not sent. */
export function lengthOverLimit(text: string, maxCharacters: number): number | null {
  // A character has at most two code units: most texts need no counting.
  if (text.length <= maxCharacters) return null
  const characters = countCharacters(text)
  return characters > maxCharacters ? characters : null
}

/** How many characters are left, once that is worth showing. */
export function remainingCharacters(text: string, maxCharacters: number): number | null {
  const shownFrom = Math.min(200, Math.ceil(maxCharacters / 10))
  if (text.length < maxCharacters - shownFrom) return null
  const left = maxCharacters - countCharacters(text)
  return left >= 0 && left <= shownFrom ? left : null
}
