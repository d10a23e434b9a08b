import { anonymousSuffix } from './constants.ts'

// This module is separate from the rules for names, which most pages do not load.

/** Returns the label of a sender without an account. A cleaned name has no suffix, so the label has exactly one. */
export function anonymousLabel(cleanName: string): string {
  return cleanName + anonymousSuffix
}

export function isAnonymousLabel(username: string): boolean {
  return username.endsWith(anonymousSuffix)
}
