import { anonymousSuffix, defaultIdentity } from '../../../contract/constants.ts'
import { normalizeName } from '../../../contract/names.ts'
import { skeleton } from './skeleton.ts'

/** Returns a key that is equal for names that differ only in case, width or look-alike characters of their lower case. */
export function nameKey(name: string): string {
  return applyUntilStable(normalizeName(name), (text) => skeleton(foldCase(text.normalize('NFKC'))))
}

/**
 * Returns a key that is equal for names that look alike as written. The Greek capital in 'Νick' looks like the Latin
 * one, but its lower case does not. The key treats 'I', 'i' and 'l' as equal, so that 'Ian' conflicts with 'lan'.
 */
export function lookKey(name: string): string {
  const look = applyUntilStable(normalizeName(name), (text) => skeleton(lowerLatin(text.normalize('NFKD'))))
  return look.replaceAll('i', 'l')
}

/** Returns a key that is equal for e-mail addresses that differ only in case. */
export const emailKey = (email: string): string => email.toLowerCase()

/**
 * Returns the key of an account whose regular key an older account already has, because the rules for keys changed. The
 * returned key contains the exact name.
 */
export function exactNameKey(key: string, name: string): string {
  return `${key}\n${name}`
}

/**
 * Keys of the reserved names. They are created when the first name is checked, because they need the table of look-alikes,
 * which would slow down the start.
 */
let reserved: { suffixLook: string; look: string; name: string } | undefined

/** Returns whether a name looks like an anonymous name or like the default name. */
export function looksAnonymous(name: string): boolean {
  reserved ??= {
    suffixLook: withoutSpaces(lookKey(anonymousSuffix)),
    look: lookKey(defaultIdentity),
    name: nameKey(defaultIdentity),
  }
  const look = lookKey(name)
  return withoutSpaces(look).endsWith(reserved.suffixLook) || look === reserved.look || nameKey(name) === reserved.name
}

/**
 * Folds the case of a text. Converts to upper case first, which approximates Unicode's full case folding: 'ß' becomes
 * 'ss'. Unlike full case folding, it also turns 'ı' into 'i'.
 */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

export function lowerLatin(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/**
 * Applies `step` until the text no longer changes. A skeleton can contain characters that normalization changes: that
 * of '%' contains an ordinal indicator and a subscript zero. Removes a combining dot above 'i' and 'j', which is
 * invisible there.
 */
function applyUntilStable(text: string, step: (text: string) => string): string {
  let key = text
  for (;;) {
    const next = step(key).replace(/(?<=[ij])\u0307+/g, '')
    if (next === key) return key
    key = next
  }
}

function withoutSpaces(text: string): string {
  return text.replace(/\s/gu, '')
}
