import { type Folding, foldings, separator, space } from './fold-letters.ts'
import { createMatcher, type Pattern } from './pattern-matcher.ts'
import type { FilteredWord } from './moderation-store.ts'

/** Matches writing systems that put no spaces between words. A word in one of them matches anywhere. */
const withoutSpaces = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

export const maxWordCharacters = 64
/**
 * Maximum length, after normalization, of a text that normalization lengthens more than `maxGrowth` times. Normalization
 * turns U+FDFA into eighteen characters: a message of these would block the event loop.
 */
const maxGrownUnits = 24_000
const maxGrowth = 6

/** Character after which browsers show a text from right to left, also letters that are written from left to right. */
const rightToLeftOverride = '\u202e'

/** Letters of a text in comparable form. */
interface Letters {
  letters: readonly string[]
  /**
   * Whether a separator, or the start or end of the text, is before the letter at this index. The array has one item more
   * than `letters`.
   */
  isWordStart: readonly boolean[]
  /** Start index of the pieces that can form one word with each letter. */
  wordStart: readonly number[]
}

/** Returns whether normalization makes a text too long to search. Only characters that no language repeats do so. */
function isTooLongToSearch(text: string, normalized: string): boolean {
  return normalized.length > maxGrownUnits && normalized.length > text.length * maxGrowth
}

/**
 * Splits a normalized text into letters. Separators are not letters, so that 's.p.a.m' and 's p a m' have those of 'spam'.
 * White space between two pieces of several letters ends a word: 'pen is' contains no other word.
 */
function lettersOf(normalized: string, fold: Folding): Letters {
  const letters: string[] = []
  const isWordStart: boolean[] = []
  const wordStart: number[] = []
  let isBoundary = true
  let isAfterSpace = true
  /** Current piece between white space: its first letter, its number of characters, and that of the piece before it. */
  let [pieceStart, length, previousLength] = [0, 0, 0]
  let start = 0
  for (const character of normalized) {
    let isCounted = false
    for (const folded of fold(character)) {
      if (folded === separator || folded === space) {
        isBoundary = true
        isAfterSpace ||= folded === space
        continue
      }
      if (isAfterSpace) [pieceStart, length, previousLength] = [letters.length, 0, length]
      // A folded character can have several letters.
      if (!isCounted) length++
      isCounted = true
      if (length === 2 && previousLength > 1 && start < pieceStart) {
        start = pieceStart
        wordStart.fill(start, pieceStart)
      }
      letters.push(folded)
      wordStart.push(start)
      isWordStart.push(isBoundary)
      isBoundary = false
      isAfterSpace = false
    }
  }
  isWordStart.push(true)
  return { letters, isWordStart, wordStart }
}

/** Returns whether the filter can use a word: it has a letter or a digit. */
export function isUsableWord(word: string): boolean {
  return foldings.every((fold) => lettersOf(word.normalize('NFKC'), fold).letters.length > 0)
}

/**
 * Finds words of a list in texts, also when they are written with look-alike characters, marks, invisible characters or
 * separators. The cost is linear in the length of the text.
 */
export function createWordFilter(words: readonly FilteredWord[]) {
  const matchers = foldings.map((fold) => ({ fold, match: createMatcher(words.map((word) => patternOf(word, fold))) }))

  /** Calls `onMatch` for each match, in the order of the text as stored and as shown, until it returns true. */
  function search(normalized: string, onMatch: (word: string) => boolean): void {
    searchInOrder(normalized, onMatch)
    if (normalized.includes(rightToLeftOverride)) searchInOrder([...normalized].toReversed().join(''), onMatch)
  }

  function searchInOrder(normalized: string, onMatch: (word: string) => boolean): void {
    for (const { fold, match } of matchers) {
      const { letters, isWordStart, wordStart } = lettersOf(normalized, fold)
      const isStopped = match(letters, (pattern, start, end) => {
        const { inside, isPhrase, word } = pattern.value
        if (!inside && !(isWordStart[start] === true && isWordStart[end] === true)) return false
        if (!isPhrase && (wordStart[end - 1] ?? 0) > start) return false
        return onMatch(word)
      })
      if (isStopped) return
    }
  }

  return {
    /** Returns whether the text contains a word of the list, or cannot be searched in time. */
    matches(text: string): boolean {
      const normalized = text.normalize('NFKC')
      let isFound = isTooLongToSearch(text, normalized)
      if (!isFound) search(normalized, () => (isFound = true))
      return isFound
    },
    /** Returns the words of the list that the text contains. */
    find(text: string): string[] {
      const found = new Set<string>()
      search(text.normalize('NFKC'), (word) => {
        found.add(word)
        return false
      })
      return [...found]
    },
  }
}

export type WordFilter = ReturnType<typeof createWordFilter>

interface WordPattern extends FilteredWord {
  /** Whether the word consists of several words. Its match may contain white space. */
  isPhrase: boolean
}

function patternOf({ word, inside }: FilteredWord, fold: Folding): Pattern<WordPattern> {
  const isPhrase = /\s/u.test(word.trim())
  return {
    letters: lettersOf(word.normalize('NFKC'), fold).letters,
    value: { word, inside: inside || withoutSpaces.test(word), isPhrase },
  }
}
