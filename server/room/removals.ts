/**
 * Number of newest removals that are kept for clients that reconnect. A client that missed more receives only the kept
 * ones. A process may keep up to twice as many in memory.
 */
export const maxKeptRemovals = 100_000

/** Messages that were removed together. */
export interface Removal {
  /** Number of removals in the log so far, these included. Each removed message counts as one. */
  removals: number
  seqs: readonly number[]
}

/** Removals that this process has received from the log, in their order. */
export interface RemovalHistory {
  count: () => number
  isRemoved: (seq: number) => boolean
  /** Returns the seqs of the removals after the first `count` ones, oldest first, as far as they are kept. */
  after: (count: number) => number[]
}

export function createRemovalHistory() {
  let count = 0
  let kept: number[] = []
  let removed = new Set<number>()

  return {
    count: () => count,
    isRemoved: (seq: number) => removed.has(seq),
    after: (known: number) => (known < count ? kept.slice(Math.max(0, kept.length - (count - known))) : []),
    /** Adds a removal. Has no effect if it is known. */
    add({ removals, seqs }: Removal): void {
      if (removals <= count) return
      count = removals
      for (const seq of seqs) {
        kept.push(seq)
        removed.add(seq)
      }
      if (kept.length <= 2 * maxKeptRemovals) return
      kept = kept.slice(-maxKeptRemovals)
      removed = new Set(kept)
    },
    /** Clears all removals. Call it when another log replaces the known one. */
    clear(): void {
      count = 0
      kept = []
      removed = new Set()
    },
  } satisfies RemovalHistory & Record<string, unknown>
}

export function* splitSeqs(seqs: readonly number[], maxLength: number): Generator<number[]> {
  for (let start = 0; start < seqs.length; start += maxLength) yield seqs.slice(start, start + maxLength)
}
