import { defaultIdentity, initialAnonymousName } from '../../../contract/constants.ts'
import { normalizeName } from '../../../contract/names.ts'

/** Whether a message names the reader. */
export type MentionMatcher = (message: string) => boolean

const matchNothing: MentionMatcher = () => false

/** A single letter is a word in too many languages to be somebody's name in passing. */
const minNameCharacters = 2

// These scripts put no blanks between words: there a name may stand in the middle of what looks like one.
const unspacedScripts = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`
const wordCharacter = String.raw`(?!${unspacedScripts})[\p{L}\p{M}\p{N}_]`

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** Finds the reader's name as a word of its own, in whatever case. The name that everybody starts with names nobody. */
export function createMentionMatcher(identity: string, anonymousName: string): MentionMatcher {
  const name = normalizeName(identity === defaultIdentity ? anonymousName : identity)
  if ([...name].length < minNameCharacters || name.toLowerCase() === initialAnonymousName) return matchNothing
  const pattern = new RegExp(`(?<!${wordCharacter})${escapeRegExp(name)}(?!${wordCharacter})`, 'iu')
  return (message) => pattern.test(message.normalize('NFKC'))
}
