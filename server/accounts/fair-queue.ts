import type { RefusalError } from '../refusal-error.ts'

export interface QueueLimits {
  concurrency: number
  maxQueued: number
}

interface Waiting {
  start: () => void
  refuse: (reason: RefusalError) => void
}

/**
 * Costly work, a few at a time. Owners take turns, so that whoever asks a thousand times waits for itself; and when the
 * queue is full, it is the owner of most of it who is refused.
 */
export function createFairQueue({ concurrency, maxQueued }: QueueLimits, refusal: () => RefusalError) {
  const lines = new Map<string, Waiting[]>()
  let running = 0
  let queued = 0

  function longestLine(): Waiting[] {
    let longest: Waiting[] = []
    for (const line of lines.values()) if (line.length > longest.length) longest = line
    return longest
  }

  function enqueue(owner: string, waiting: Waiting): void {
    const own = lines.get(owner) ?? []
    if (queued >= maxQueued) {
      const longest = longestLine()
      if (longest.length <= own.length + 1) return waiting.refuse(refusal())
      longest.pop()?.refuse(refusal())
      queued--
    }
    own.push(waiting)
    lines.set(owner, own)
    queued++
  }

  /** The next of the owner whose turn it is, who then goes to the end. */
  function startNext(): void {
    for (const [owner, line] of lines) {
      lines.delete(owner)
      const next = line.shift()
      if (next === undefined) continue
      if (line.length > 0) lines.set(owner, line)
      queued--
      next.start()
      return
    }
    running--
  }

  return {
    async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
      if (running < concurrency) running++
      else await new Promise<void>((start, refuse) => enqueue(owner, { start, refuse }))
      try {
        return await work()
      } finally {
        startNext()
      }
    },
    queued: () => queued,
  }
}
