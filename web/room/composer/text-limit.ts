import { countCharacters } from '../../../contract/limits.ts'

const format = (count: number) => count.toLocaleString('en')

/** Why a text cannot be taken into a field, fit to be shown; `null` when it can. Nothing is ever cut. */
export function overLimit(text: string, maxCharacters: number): string | null {
  // A character has at most two code units: most texts need no counting.
  if (text.length <= maxCharacters) return null
  const characters = countCharacters(text)
  if (characters <= maxCharacters) return null
  return `Not taken in: with it the text would have ${format(characters)} characters, and ${format(maxCharacters)} is the most.`
}

/** How many characters are left, once that is worth showing. */
export function charactersLeft(text: string, maxCharacters: number): number | null {
  const nearPart = Math.min(200, Math.ceil(maxCharacters / 10))
  if (text.length < maxCharacters - nearPart) return null
  const left = maxCharacters - countCharacters(text)
  return left <= nearPart ? left : null
}
