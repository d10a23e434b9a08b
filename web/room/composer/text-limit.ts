import { countCharacters, maxMessageCharacters } from '../../../contract/limits.ts'

/**
 * Maximum length of the message field in UTF-16 code units. The browser truncates longer pasted text. With a million
 * characters in the field, each keystroke takes seconds. The maximum is far above the limit of a message, so that the
 * user can shorten a text that is too long.
 */
export const maxFieldUnits = 10 * maxMessageCharacters

/** Returns whether the field is full. One unit may be left, because the browser does not split a surrogate pair. */
export const isFieldFull = (text: string) => text.length >= maxFieldUnits - 1

/**
 * Returns the length of a text that exceeds the limit, otherwise `null`. The caller keeps such a text and does not
 * truncate it.
 */
export function lengthOverLimit(text: string, maxCharacters: number): number | null {
  // A text has at most as many characters as code units, so most texts need no counting.
  if (text.length <= maxCharacters) return null
  const characters = countCharacters(text)
  return characters > maxCharacters ? characters : null
}

/** Returns the number of characters that are left; `null` if the text is not close to the limit or exceeds the limit. */
export function remainingCharacters(text: string, maxCharacters: number): number | null {
  const shownFrom = Math.min(200, Math.ceil(maxCharacters / 10))
  if (text.length < maxCharacters - shownFrom) return null
  const left = maxCharacters - countCharacters(text)
  return left >= 0 && left <= shownFrom ? left : null
}
