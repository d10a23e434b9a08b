import { blankCharacters, invisibleCharacters } from './blank-characters.ts'

// Control and format characters are blank too.
const blankText = new RegExp(String.raw`^[\p{Cc}\p{Cf}${blankCharacters}${invisibleCharacters}]*$`, 'u')

/** Returns whether a text has no visible character. Such a message counts as empty. */
export function isBlank(text: string): boolean {
  return blankText.test(text)
}
