import type { Letters } from './letters.ts'

/** Number of repetitions from which a character counts as stretched. No ordinary word repeats a letter so often. */
const minStretch = 3

/** Letters of a text in which each repeated character is taken once: 'shiiit' has those of 'shit'. */
export interface LetterRuns {
  letters: string[]
  /** Number of times that the character of each letter occurs in a row. */
  counts: number[]
  /** Index in the text of the first and of the last repetition of each letter. */
  first: number[]
  last: number[]
  isStretched: boolean
}

/** Collapses the repeated characters of a text. */
export function runsOf({ letters, ends }: Pick<Letters, 'letters' | 'ends'>): LetterRuns {
  const runs: LetterRuns = { letters: [], counts: [], first: [], last: [], isStretched: false }
  let [start, previousSize] = [0, 0]
  for (const end of ends) {
    const size = end - start
    if (size === previousSize && repeatsBefore(letters, start, size)) addRepeat(runs, start, size)
    else addCharacter(runs, letters, start, end)
    start = end
    previousSize = size
  }
  return runs
}

/** Returns whether the `size` letters from `start` on equal the `size` letters before them. */
function repeatsBefore(letters: readonly string[], start: number, size: number): boolean {
  for (let index = start; index < start + size; index++) if (letters[index] !== letters[index - size]) return false
  return true
}

function addRepeat(runs: LetterRuns, start: number, size: number): void {
  const runStart = runs.letters.length - size
  const count = (runs.counts[runStart] ?? 0) + 1
  for (let offset = 0; offset < size; offset++) {
    runs.counts[runStart + offset] = count
    runs.last[runStart + offset] = start + offset
  }
  runs.isStretched ||= count >= minStretch
}

function addCharacter(runs: LetterRuns, letters: readonly string[], start: number, end: number): void {
  for (let index = start; index < end; index++) {
    runs.letters.push(letters[index] ?? '')
    runs.counts.push(1)
    runs.first.push(index)
    runs.last.push(index)
  }
}

/** Returns whether each letter from `start` on is repeated as often as the matching letter of the word, or is stretched. */
export function isStretchOf(counts: readonly number[], start: number, word: readonly number[]): boolean {
  return word.every((count, index) => {
    const repeats = counts[start + index] ?? 0
    return repeats === count || repeats >= Math.max(minStretch, count)
  })
}
