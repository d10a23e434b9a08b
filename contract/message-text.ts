import { blankCharacters, invisibleCharacters } from './blank-characters.ts'

// Also all control and format characters.
const blankText = new RegExp(String.raw`^[\p{Cc}\p{Cf}${blankCharacters}${invisibleCharacters}]*$`, 'u')

/** Returns whether a text has no visible character. Such a message counts as empty. */
export function isBlank(text: string): boolean {
  return blankText.test(text)
}
