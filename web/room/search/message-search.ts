import { endKey, entryAt, type MessageEntry, type MessageList } from '../../connection/receive/message-buffer.ts'
import { textWithSender } from '../entry/entry-text.ts'
import { fold } from './fold.ts'

/** Search for a text in the messages of a list. It scans the list in slices, and new messages when they arrive. */
export interface MessageSearch {
  readonly pattern: RegExp
  /** Keys of the entries that match, ascending. */
  readonly keys: readonly number[]
  /** Key of the first entry that is not scanned yet. */
  readonly next: number
  /** List of the last slice; `null` before the first one. */
  readonly scanned: MessageList | null
}

/** Budget of one slice, in characters. A slice takes a few milliseconds. */
const charactersPerSlice = 200_000
/** Fixed cost of an entry, in addition to the length of its text. */
const charactersPerEntry = 40

/** Returns a pattern for folded texts that ignores case and kinds of whitespace; `null` for a blank query. */
export function searchPattern(query: string): RegExp | null {
  const words = fold(query).trim().split(/\s+/)
  if (words[0] === '') return null
  return new RegExp(
    words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join(String.raw`\s+`),
    'giu',
  )
}

export const startSearch = (pattern: RegExp): MessageSearch => ({ pattern, keys: [], next: 0, scanned: null })

export const isSearchComplete = ({ next, scanned }: MessageSearch, list: MessageList) =>
  scanned === list && next >= endKey(list)

/** Returns the text of an entry that the search compares. For a removed message, this text is only the name. */
const searchedText = ({ message, isRemoved }: MessageEntry) => (isRemoved ? message.username : textWithSender(message))

/**
 * Scans the next slice of the list. Drops removed messages that no longer match, and matches that the page no longer
 * keeps.
 */
export function continueSearch({ pattern, keys, next, scanned }: MessageSearch, list: MessageList): MessageSearch {
  const isMatch = (entry: MessageEntry) => fold(searchedText(entry)).search(pattern) !== -1
  const isStillMatch = (key: number) => {
    const entry = entryAt(list, key)
    return entry?.kind === 'message' && (!entry.isRemoved || isMatch(entry))
  }
  const kept = scanned === list ? keys : keys.filter(isStillMatch)
  const found: number[] = []
  let budget = charactersPerSlice
  let key = Math.max(next, list.firstKey)
  for (; budget > 0 && key < endKey(list); key++) {
    const entry = entryAt(list, key)
    if (entry?.kind !== 'message') continue
    if (isMatch(entry)) found.push(key)
    budget -= charactersPerEntry + entry.message.message.length
  }
  return { pattern, keys: found.length === 0 ? kept : [...kept, ...found], next: key, scanned: list }
}

/** Returns the first match at or after a key, or else the last match; `null` without a match. */
export function nearestMatch(keys: readonly number[], key: number): number | null {
  return keys[firstIndexFrom(keys, key)] ?? keys.at(-1) ?? null
}

/** Returns the match after (1) or before (-1) a key, or else at the other end of the list; `null` without a match. */
export function stepMatch(keys: readonly number[], key: number, step: 1 | -1): number | null {
  const index = firstIndexFrom(keys, step > 0 ? key + 1 : key) + (step > 0 ? 0 : -1)
  return keys.at(index) ?? keys[0] ?? null
}

/** Returns the number of a match, from 1; 0 if the key is not a match. */
export function matchNumber(keys: readonly number[], key: number | null): number {
  const index = firstIndexFrom(keys, key ?? 0)
  return keys[index] === key ? index + 1 : 0
}

function firstIndexFrom(keys: readonly number[], key: number): number {
  let from = 0
  let to = keys.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((keys[middle] ?? 0) < key) from = middle + 1
    else to = middle
  }
  return from
}
