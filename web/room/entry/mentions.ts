import { defaultIdentity, initialAnonymousName } from '../../../contract/constants.ts'
import { normalizeName } from '../../../contract/names.ts'

/** Function that returns whether a message mentions the user. */
export type MentionMatcher = (message: string) => boolean

const matchNothing: MentionMatcher = () => false

/** Minimum length of a name to match. A single letter is a word in many languages. */
const minNameCharacters = 2

// Scripts without spaces between words: next to their characters a name needs no word boundary.
const unspacedScripts = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`
const wordCharacter = String.raw`(?!${unspacedScripts})[\p{L}\p{M}\p{N}_]`

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/**
 * Returns a matcher that finds the user's name as a whole word, ignoring case. The default name and a name that is too
 * short never match.
 */
export function createMentionMatcher(identity: string, anonymousName: string): MentionMatcher {
  const name = normalizeName(identity === defaultIdentity ? anonymousName : identity)
  if ([...name].length < minNameCharacters || name.toLowerCase() === initialAnonymousName) return matchNothing
  const pattern = new RegExp(`(?<!${wordCharacter})${escapeRegExp(name)}(?!${wordCharacter})`, 'iu')
  return (message) => pattern.test(message.normalize('NFKC'))
}
