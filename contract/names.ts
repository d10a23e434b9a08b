import { anonymousSuffix, defaultIdentity } from './constants.ts'
import { countCharacters, maxNameCharacters, maxTypedNameUnits } from './limits.ts'

// Control, format (including bidi and zero-width), surrogate, private-use and unassigned characters, line and paragraph
// separators, and characters without a visible glyph. With any of these, two different names can look the same.
const hiddenCharacters = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{13441}\u{13442}\u{1d159}]/gu
const hiddenCharacter = new RegExp(hiddenCharacters.source, 'u')

// A name may contain letters, their marks, digits, emoji, printable ASCII characters, and the punctuation and currency
// signs in this list. The list is closed because any other symbol may look like a colon, and Unicode adds symbols every
// year.
const punctuation = String.raw`\x20-\x7e¡¿·‘’“”„«»‹›‐–—…־׳״،؟、。「」『』・〜\p{Sc}`
const emoji = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}`
const disallowedCharacters = new RegExp(String.raw`[^\p{L}\p{M}\p{Nd}\u3007${punctuation}${emoji}]`, 'gu')
const disallowedCharacter = new RegExp(disallowedCharacters.source, 'u')

// The page separates name and text by ' : '. A colon, or a character that looks like one, is therefore allowed only
// inside a word. Otherwise the anonymous name 'bob : hi' could imitate a message of the account 'bob'.
const colons =
  ':\u02d0\u02f8\u0589\u05c3\u0703\u0704\u1361\u16ec\u17d6\u1803\u1804\u1809\u205a\u2236\u29f4\ua4fd\ua6f4\ua789\ufe30'
// A visarga looks like a colon and is valid at the end of a word.
const visargas = '\u0903\u0a83'
// Letters whose glyphs are dots. They are valid in a word but do not form a word on their own.
const dottedLetters = '\u02d1\u119e\u11a2\u1427\u1c79-\u1c7b\u2d3e\u2d42\u2d46\u2d48\u2d57\ua4f8-\ua4fc\ua78f\ud7c6'
const standaloneColons = new RegExp(
  String.raw`(?<=^|\s)[${colons}${visargas}]+|[${colons}]+(?=$|\s)|(?<=^|\s)[${dottedLetters}][${dottedLetters}\p{M}]*(?=$|\s)`,
  'gu',
)
const standaloneColon = new RegExp(standaloneColons.source, 'u')

// A mark must follow a letter, a digit or another mark: a dot with a mark above it looks like a colon. A spacing mark
// must not follow a Latin, Greek or Cyrillic letter or an ASCII digit: after these, a visarga looks like a colon.
const strayMarks = /(?<![\p{L}\p{Nd}\p{M}])\p{M}+|(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\d])\p{Mc}+/gu
const strayMark = new RegExp(strayMarks.source, 'u')

// More than four marks on one letter overlap the lines above and below. No script needs that many. Spacing marks do not
// overlap.
const stackedMarks = /([\p{Mn}\p{Me}]{4})[\p{Mn}\p{Me}]+/gu
const stackedMark = new RegExp(stackedMarks.source, 'u')
// A name with strokes or circles over its letters still reads as the same name, so accounts cannot have these marks.
const overlayMark = /[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb\p{Me}]/u

const suffix = String.raw`\(\s*not\s*logged\s*in\s*\)`
const disguisedSuffix = new RegExp(String.raw`${suffix}\s*$`, 'iu')

// Removing a suffix can leave a colon or a dotted letter at the end, with another suffix before it. This pattern removes
// the whole chain in one pass. Each alternative starts with a different character, which prevents exponential backtracking.
const removableEnd = new RegExp(
  String.raw`(?:\s|[${colons}]|(?<=^|\s)[${dottedLetters}][${dottedLetters}\p{M}]*|${suffix})+$`,
  'iu',
)

export function normalizeName(name: string): string {
  return name.normalize('NFKC').replace(/\s+/gu, ' ').trim()
}

/**
 * Returns an anonymous name without the characters that could deceive a reader, or `null` if the name is too long.
 * Normalization can turn one character into eighteen, so the function checks the length before and after the first
 * normalization, and again at the end.
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

/**
 * Returns the first rule of the contract that a normalized name breaks, as a text for the user, or `null`. The server
 * checks further rules.
 */
export function findNameProblem(name: string): string | null {
  const characters = countCharacters(name)
  if (characters === 0) return 'The name is empty.'
  if (characters > maxNameCharacters) return `The name is longer than ${maxNameCharacters} characters.`
  if (hiddenCharacter.test(name)) return 'The name contains invisible or control characters.'
  if (stackedMark.test(name)) return 'The name has too many marks on one letter.'
  if (standaloneColon.test(name)) return 'A colon in the name must be inside a word.'
  if (disallowedCharacter.test(name)) return 'The name contains a symbol that is not allowed.'
  if (strayMark.test(name)) return 'A mark in the name must follow a letter of its script.'
  if (overlayMark.test(name)) return 'The name has a mark across a letter.'
  if (disguisedSuffix.test(name)) return `The name must not end with '${anonymousSuffix.trim()}'.`
  if (name.toLowerCase() === defaultIdentity) return 'This name is reserved.'
  return null
}
