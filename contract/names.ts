import { anonymousSuffix, defaultIdentity } from './constants.ts'
import { countCharacters, maxNameCharacters, maxTypedNameUnits } from './limits.ts'

// Control, format (bidi and zero-width among them), surrogate, private-use and unassigned characters, separators
// that break lines, and what is drawn as nothing at all: with any of these two names can look the same.
const hiddenCharacters = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]/gu
const hiddenCharacter = new RegExp(hiddenCharacters.source, 'u')

// Names are written with letters, their marks, digits, emoji and this closed list of punctuation; any other symbol may
// look like a colon, and new ones are added to Unicode every year.
const punctuation = String.raw`\x20-\x7e¡¿·‘’“”„«»‹›‐–—…־׳״،؟、。「」『』・〜\p{Sc}`
const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}`
const disallowedCharacters = new RegExp(String.raw`[^\p{L}\p{M}\p{Nd}\u3007${punctuation}${emoji}]`, 'gu')
const disallowedCharacter = new RegExp(disallowedCharacters.source, 'u')

// ' : ' ends the name in an entry. A colon, or what looks like one, may therefore stand only inside a word:
// else the anonymous 'bob : hi' would write the very line that the account 'bob' writes.
const colons =
  ':\u02d0\u02f8\u0589\u05c3\u0703\u0704\u1361\u16ec\u17d6\u1803\u1804\u1809\u205a\u2236\u29f4\ua4fd\ua6f4\ua789\ufe30'
// The visarga, a letter's companion: at the end of a word it belongs there.
const visargas = '\u0903\u0a83'
// Letters drawn as dots: words are written with them, but none is a word.
const dottedLetters = '\u02d1\u119e\u11a2\u1427\u1c79-\u1c7b\u2d3e\u2d42\u2d46\u2d48\u2d57\ua4f8-\ua4fc\ua78f\ud7c6'
const standaloneColons = new RegExp(
  String.raw`(?<=^|\s)[${colons}${visargas}]+|[${colons}]+(?=$|\s)|(?<=^|\s)[${dottedLetters}][${dottedLetters}\p{M}]*(?=$|\s)`,
  'gu',
)
const standaloneColon = new RegExp(standaloneColons.source, 'u')

// A mark stands on a letter or a digit: two dots, one of them a mark, are a colon. Spacing marks belong to scripts that
// have them: behind a Latin letter the visarga is a colon too.
const strayMarks = /(?<![\p{L}\p{Nd}\p{M}])\p{M}+|(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\d])\p{Mc}+/gu
const strayMark = new RegExp(strayMarks.source, 'u')

// More marks on one letter than any script needs reach into the lines above and below; spacing marks do not.
const stackedMarks = /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu
const stackedMark = new RegExp(stackedMarks.source, 'u')
// Struck out or ringed, a name still reads the same: no account can be another's with a line through it.
const overlayMark = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb\p{Me}]/u

const suffix = String.raw`\(\s*not\s*logged\s*in\s*\)`
const disguisedSuffix = new RegExp(String.raw`${suffix}\s*$`, 'iu')

// Removing a suffix from the end can leave a colon or a dotted letter at the end, and another suffix before it. This
// pattern removes the whole chain in one pass. Each alternative starts with a different character, so that the pattern
// never tries the same text in two ways.
const removableEnd = new RegExp(
  String.raw`(?:\s|[${colons}]|(?<=^|\s)[${dottedLetters}][${dottedLetters}\p{M}]*|${suffix})+$`,
  'iu',
)

export function normalizeName(name: string): string {
  return name.normalize('NFKC').replace(/\s+/gu, ' ').trim()
}

/**
 * Returns an anonymous name without the characters that could deceive a reader, or `null` if the name is too long. One
 * character can become eighteen when it is normalized, so the length is checked before and after the first
 * normalization. A name that is longer than `maxTypedNameUnits` by then is rejected before any other work.
 */
export function cleanAnonymousName(name: string): string | null {
  if (name.length > maxTypedNameUnits) return null
  let cleaned = normalizeName(name.replace(hiddenCharacters, ''))
  if (cleaned.length > maxTypedNameUnits) return null
  for (;;) {
    const shorter = normalizeName(
      cleaned
        .replace(hiddenCharacters, '')
        .replace(disallowedCharacters, '')
        .replace(strayMarks, '')
        .replace(stackedMarks, '$1')
        .replace(standaloneColons, '')
        .replace(removableEnd, ''),
    )
    if (shorter === cleaned) break
    cleaned = shorter
  }
  return countCharacters(cleaned) > maxNameCharacters ? null : cleaned
}

/** Why this name cannot be registered, fit to be shown; `null` when it can. Expects a normalized name. */
export function findNameProblem(name: string): string | null {
  const characters = countCharacters(name)
  if (characters === 0) return 'The name is empty.'
  if (characters > maxNameCharacters) return `The name is longer than ${maxNameCharacters} characters.`
  if (hiddenCharacter.test(name)) return 'The name contains invisible or control characters.'
  if (stackedMark.test(name)) return 'The name has too many marks on one letter.'
  if (standaloneColon.test(name)) return 'A colon in the name must stand inside a word.'
  if (disallowedCharacter.test(name)) return 'The name contains a symbol that names cannot have.'
  if (strayMark.test(name)) return 'A mark in the name must stand on a letter of its script.'
  if (overlayMark.test(name)) return 'The name has a mark across a letter.'
  if (disguisedSuffix.test(name)) return `The name must not end with '${anonymousSuffix.trim()}'.`
  if (name.toLowerCase() === defaultIdentity) return 'This name is reserved.'
  return null
}
