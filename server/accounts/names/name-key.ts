import { anonymousSuffix, defaultIdentity } from '../../../contract/constants.ts'
import { normalizeName } from '../../../contract/names.ts'
import { skeleton } from './skeleton.ts'

/**
 * What two names have in common that differ only in case, width or look-alike characters, taken in lower case.
 * An account is found by this key.
 */
export function nameKey(name: string): string {
  return applyUntilStable(normalizeName(name), (text) => skeleton(foldCase(text)))
}

/**
 * What two names have in common that look alike as they are written: the Greek capital in 'Νick' looks like a Latin
 * one, while its small form does not. 'I' and 'l' are one here, so that 'Ian' is taken where 'lan' is.
 */
export function lookKey(name: string): string {
  const look = applyUntilStable(normalizeName(name), (text) => skeleton(lowerLatin(text.normalize('NFD'))))
  return look.replaceAll('i', 'l')
}

/** For an account whose name reads like an older one's, from before both had the same key: found by its exact name. */
export function exactNameKey(key: string, name: string): string {
  return `${key}\n${name}`
}

/** Made for the first name that is judged: as constants they would read the tables of look-alikes in every start. */
let reserved: { suffixLook: string; look: string; name: string } | undefined

/** Whether a name would pass for an anonymous sender's, or for nobody's, in the eyes of a reader. */
export function looksAnonymous(name: string): boolean {
  reserved ??= {
    suffixLook: withoutSpaces(lookKey(anonymousSuffix)),
    look: lookKey(defaultIdentity),
    name: nameKey(defaultIdentity),
  }
  const look = lookKey(name)
  return withoutSpaces(look).endsWith(reserved.suffixLook) || look === reserved.look || nameKey(name) === reserved.name
}

/** By way of the capitals, which makes 'ß' into 'ss' and the dotless 'ı' into 'i', as Unicode's full folding nearly does. */
function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

function lowerLatin(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** A dot above an i or a j replaces the one that it has: it is not seen. */
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
