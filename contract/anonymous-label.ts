import { anonymousSuffix } from './constants.ts'

// This module is separate from `names.ts`, because the first load of the room does not need the rules for names.

/** Returns the label of a sender without an account. A cleaned name has no suffix, so the label has exactly one suffix. */
export function anonymousLabel(cleanName: string): string {
  return cleanName + anonymousSuffix
}

export function isAnonymousLabel(username: string): boolean {
  return username.endsWith(anonymousSuffix)
}

/** Returns the name of a sender, without the suffix of an anonymous sender. */
export function nameWithoutSuffix(username: string): string {
  return isAnonymousLabel(username) ? username.slice(0, -anonymousSuffix.length) : username
}
