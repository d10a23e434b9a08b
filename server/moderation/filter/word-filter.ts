import { maxMessageCharacters } from '../../../contract/limits.ts'
import { displayedOrder } from './displayed-order.ts'
import { type Folding, foldings } from './fold-letters.ts'
import { isStretchOf, runsOf } from './letter-runs.ts'
import { type Letters, lettersOf } from './letters.ts'
import { createMatcher, type Pattern } from './pattern-matcher.ts'
import type { FilteredWord } from '../moderation-store.ts'

/** Matches letters of writing systems without spaces between words. A word with such a letter matches anywhere. */
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

export const maxWordCharacters = 64
/**
 * Factor by which a text may grow when it is normalized. If a text grows more, `maxGrownUnits` limits the total length to
 * search. Normalization turns U+FDFA into eighteen characters: a message of these would block the event loop.
 */
const maxGrowth = 6
const maxGrownUnits = maxGrowth * maxMessageCharacters

/**
 * Returns the orders of a normalized text to search: as written and, if a browser shows another order, as displayed.
 * Returns `null` if the displayed order is not known.
 */
function ordersOf(normalized: string): string[] | null {
  const displayed = displayedOrder(normalized)
  if (displayed.kind === 'nested too deeply') return null
  return displayed.kind === 'as written' ? [normalized] : [normalized, displayed.text]
}

/**
 * Returns whether normalization makes a text too long to search. Only characters that no language repeats grow that
 * much.
 */
function isTooLongToSearch(text: string, orders: readonly string[]): boolean {
  const [normalized = ''] = orders
  return normalized.length * orders.length > maxGrownUnits && normalized.length > text.length * maxGrowth
}

/** Returns whether the filter can use a word: it has a letter or a digit. */
export function isUsableWord(word: string): boolean {
  return foldings.every((fold) => lettersOf(word.normalize('NFKC'), fold).letters.length > 0)
}

/**
 * Finds words of a list in texts. The texts may contain look-alike characters, marks, invisible characters, separators, or
 * letters that are repeated three times or more. The cost is linear in the length of the text.
 */
export function createWordFilter(words: readonly FilteredWord[]) {
  const matchers = foldings.map((fold) => ({
    fold,
    match: createMatcher(words.map((word) => patternOf(word, fold))),
    matchRuns: createMatcher(words.map((word) => runPatternOf(word, fold))),
  }))

  /** Calls `onMatch` for each match until `onMatch` returns true. */
  function search(normalized: string, onMatch: (word: string) => boolean): void {
    for (const { fold, match, matchRuns } of matchers) {
      const text = lettersOf(normalized, fold)
      const isStopped = match(
        text.letters,
        ({ value }, start, end) => isAllowedAt(value, text, start, end) && onMatch(value.word),
      )
      if (isStopped) return
      const { letters, counts, first, last, isStretched } = runsOf(text)
      if (!isStretched) continue
      const isStoppedInRuns = matchRuns(letters, ({ value }, start, end) => {
        if (!isStretchOf(counts, start, value.counts)) return false
        return isAllowedAt(value, text, first[start] ?? 0, (last[end - 1] ?? 0) + 1) && onMatch(value.word)
      })
      if (isStoppedInRuns) return
    }
  }

  /** Returns at most `maxWords` words of the list that the text contains; `null` if the text cannot be searched. */
  function find(text: string, maxWords = Infinity): FoundWords {
    const orders = ordersOf(text.normalize('NFKC'))
    if (orders === null || isTooLongToSearch(text, orders)) return null
    const found = new Set<string>()
    for (const order of orders) if (found.size < maxWords) search(order, (word) => found.add(word).size >= maxWords)
    return [...found]
  }

  return {
    find,
    /** Returns whether the filter rejects the text. */
    matches: (text: string) => find(text, 1)?.length !== 0,
  }
}

/** Words of the list in a text; `null` if the text cannot be searched. Only an empty list allows the text. */
export type FoundWords = readonly string[] | null

export type WordFilter = ReturnType<typeof createWordFilter>

interface WordPattern extends FilteredWord {
  /** Whether the filtered entry consists of several words. Its match may contain white space. */
  isPhrase: boolean
}

/**
 * Returns whether a word may match these letters of a text. The letters must be a whole word of the text, unless the
 * filtered word also matches as a part of another word.
 */
function isAllowedAt(
  { inside, isPhrase }: WordPattern,
  { isWordStart, wordStart }: Letters,
  start: number,
  end: number,
): boolean {
  if (!inside && !(isWordStart[start] === true && isWordStart[end] === true)) return false
  return isPhrase || (wordStart[end - 1] ?? 0) <= start
}

function wordPatternOf({ word, inside }: FilteredWord): WordPattern {
  return { word, inside: inside || withoutSpaces.test(word), isPhrase: /\s/u.test(word.trim()) }
}

function patternOf(word: FilteredWord, fold: Folding): Pattern<WordPattern> {
  return { letters: lettersOf(word.word.normalize('NFKC'), fold).letters, value: wordPatternOf(word) }
}

/** Returns the pattern of a word whose repeated letters are collapsed. */
function runPatternOf(word: FilteredWord, fold: Folding): Pattern<WordPattern & { counts: readonly number[] }> {
  const { letters, counts } = runsOf(lettersOf(word.word.normalize('NFKC'), fold))
  return { letters, value: { ...wordPatternOf(word), counts } }
}
