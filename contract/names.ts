import { anonymousSuffix, defaultIdentity } from './constants.ts'
import { countCharacters, maxNameCharacters } from './limits.ts'

// Control, format (bidi and zero-width among them), surrogate, private-use and unassigned characters, separators
// that break lines, and what is drawn as nothing at all: with any of these two names can look the same.
const hiddenCharacters = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]/gu
const hiddenCharacter = new RegExp(hiddenCharacters.source, 'u')

// ' : ' ends the name in an entry. A colon, or what looks like one, may therefore stand only inside a word:
// else the anonymous 'bob : hi' would write the very line that the account 'bob' writes.
const colons =
  ':\u02d0\u02f8\u0589\u05c3\u0703\u0704\u1361\u16ec\u17d6\u1803\u1804\u1809\u205a\u2236\u29f4\ua4fd\ua6f4\ua789\ufe30'
// The visarga, a letter's companion: at the end of a word it belongs there.
const letterColons = '\u0903\u0a83'
const looseColons = new RegExp(`(?<=^|\\s)[${colons}${letterColons}]+|[${colons}]+(?=$|\\s)`, 'gu')
const looseColon = new RegExp(looseColons.source, 'u')

// More marks on one letter than any script needs reach into the lines above and below.
const markPiles = /(\p{M}{4})\p{M}+/gu
const markPile = new RegExp(markPiles.source, 'u')

const suffixInDisguise = /\s*\(\s*not\s*logged\s*in\s*\)\s*$/iu

export function normalizeName(name: string): string {
  return name.normalize('NFKC').replace(/\s+/gu, ' ').trim()
}

/** An anonymous name is never refused for its characters: what could deceive is taken out. */
export function cleanAnonymousName(name: string): string {
  let cleaned = normalizeName(name.replace(hiddenCharacters, ''))
  for (;;) {
    const shorter = normalizeName(
      cleaned
        .replace(hiddenCharacters, '')
        .replace(markPiles, '$1')
        .replace(looseColons, '')
        .replace(suffixInDisguise, ''),
    )
    if (shorter === cleaned) return cleaned
    cleaned = shorter
  }
}

/** What the room shows for a sender without an account: the suffix stands there exactly once, whatever was typed. */
export function anonymousLabel(cleanName: string): string {
  return cleanName + anonymousSuffix
}

export function isAnonymousLabel(username: string): boolean {
  return username.endsWith(anonymousSuffix)
}

/** Why this name cannot be registered, fit to be shown; `null` when it can. Expects a normalized name. */
export function registeredNameProblem(name: string): string | null {
  const characters = countCharacters(name)
  if (characters === 0) return 'The name is empty.'
  if (characters > maxNameCharacters) return `The name is longer than ${maxNameCharacters} characters.`
  if (hiddenCharacter.test(name)) return 'The name contains invisible or control characters.'
  if (markPile.test(name)) return 'The name has too many marks on one letter.'
  if (looseColon.test(name)) return 'A colon in the name must stand inside a word.'
  if (suffixInDisguise.test(name)) return `The name must not end with '${anonymousSuffix.trim()}'.`
  if (name.toLowerCase() === defaultIdentity) return 'This name is reserved.'
  return null
}
