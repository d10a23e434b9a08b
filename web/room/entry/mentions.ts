import { defaultIdentity, initialAnonymousName } from '../../../contract/constants.ts'
import { normalizeName } from '../../../contract/names.ts'

/** Whether a message names the reader. */
export type MessageMatcher = (message: string) => boolean

const nobody: MessageMatcher = () => false

/** A single letter is a word in too many languages to be somebody's name in passing. */
const shortestName = 2

// These scripts put no blanks between words: there a name may stand in the middle of what looks like one.
const unspaced = String.raw`[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]`
const wordCharacter = String.raw`(?!${unspaced})[\p{L}\p{M}\p{N}_]`

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)

/** Finds the reader's name as a word of its own, in whatever case. The name that everybody starts with names nobody. */
export function matchName(identity: string, anonymousName: string): MessageMatcher {
  const name = normalizeName(identity === defaultIdentity ? anonymousName : identity)
  if ([...name].length < shortestName || name.toLowerCase() === initialAnonymousName) return nobody
  const pattern = new RegExp(`(?<!${wordCharacter})${literal(name)}(?!${wordCharacter})`, 'iu')
  return (message) => pattern.test(message.normalize('NFKC'))
}
