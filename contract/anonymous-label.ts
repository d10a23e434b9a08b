import { anonymousSuffix } from './constants.ts'

// Apart from the rules for names: every page needs these two, and few need the rules.

/** What the room shows for a sender without an account: the suffix stands there exactly once, whatever was typed. */
export function anonymousLabel(cleanName: string): string {
  return cleanName + anonymousSuffix
}

export function isAnonymousLabel(username: string): boolean {
  return username.endsWith(anonymousSuffix)
}
