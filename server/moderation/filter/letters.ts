import { type Folding, separator, space } from './fold-letters.ts'

/** Letters of a text in comparable form. */
export interface Letters {
  letters: readonly string[]
  /**
   * Whether the letter at this index is the first one, or follows a separator or white space. The array has one more item,
   * `true`, for the end of the text.
   */
  isWordStart: readonly boolean[]
  /** For each letter, the index of the first letter that can be part of the same word. */
  wordStart: readonly number[]
  /** For each character with letters, the index after its last letter. A character can have several letters. */
  ends: readonly number[]
}

/**
 * Splits a normalized text into letters. Separators are not letters, so that 's.p.a.m' and 's p a m' have those of 'spam'.
 * White space between two pieces of several letters ends a word, so that the letters of 'pen is' do not form one word.
 */
export function lettersOf(normalized: string, fold: Folding): Letters {
  const letters: string[] = []
  const isWordStart: boolean[] = []
  const wordStart: number[] = []
  const ends: number[] = []
  let isBoundary = true
  let isAfterSpace = true
  /**
   * Current piece between white space: index of its first letter, its number of characters without separators, and that of
   * the piece before it.
   */
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
      // Count a character once, even if it folds to several letters.
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
    if (isCounted) ends.push(letters.length)
  }
  isWordStart.push(true)
  return { letters, isWordStart, wordStart, ends }
}
