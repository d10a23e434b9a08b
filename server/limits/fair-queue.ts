import type { RejectionError } from '../base/rejection-error.ts'

export interface QueueLimits {
  concurrency: number
  maxQueued: number
}

interface Waiting {
  start: () => void
  reject: (reason: RejectionError) => void
}

/** Those who wait in one network, by the narrower networks in it; the narrowest hold the line itself. */
interface Branch {
  size: number
  branches: Map<string, Branch>
  line: Waiting[]
}

/** Who asks, as the networks it belongs to, the widest first. */
export type Owner = readonly string[]

/**
 * Costly work, a few at a time. Networks take turns, within each the narrower ones and in those the addresses, so that
 * whoever asks a thousand times, from however many addresses of its own, waits for itself; and when the queue is full,
 * it is the network, and in it the address, with most of it that is refused.
 */
export function createFairQueue({ concurrency, maxQueued }: QueueLimits, createRejection: () => RejectionError) {
  const root = createBranch()
  let running = 0

  function enqueue(owner: Owner, waiting: Waiting): void {
    if (root.size >= maxQueued && !makeRoom(owner)) return waiting.reject(createRejection())
    let branch = root
    branch.size++
    for (const key of owner) {
      const next = branch.branches.get(key) ?? createBranch()
      branch.branches.set(key, next)
      branch = next
      branch.size++
    }
    branch.line.push(waiting)
  }

  /** Refuses the newest of whoever has more than this owner, who would come to as much with one more. */
  function makeRoom(owner: Owner): boolean {
    const path: Branch[] = [root]
    let branch: Branch | undefined = root
    for (const key of owner) {
      const [heaviestKey, heaviest] = heaviestIn(branch)
      const own: Branch | undefined = branch?.branches.get(key)
      if (heaviest !== undefined && heaviestKey !== key && heaviest.size > (own?.size ?? 0) + 1) {
        dropNewest(path, heaviestKey, heaviest)
        return true
      }
      if (own === undefined) return false
      path.push(own)
      branch = own
    }
    return false
  }

  function dropNewest(path: Branch[], key: string, heaviest: Branch): void {
    const keys = [key]
    let branch = heaviest
    while (branch.line.length === 0) {
      const [nextKey, next] = heaviestIn(branch)
      if (next === undefined) return
      keys.push(nextKey)
      branch = next
    }
    branch.line.pop()?.reject(createRejection())
    shrink(path.at(-1) ?? root, keys)
    for (const above of path.slice(0, -1)) above.size--
  }

  /** The next of the owner whose turn it is, who then goes to the end; so do the networks that it belongs to. */
  function startNext(): void {
    if (root.size === 0) {
      running--
      return
    }
    const keys: string[] = []
    let branch = root
    while (branch.line.length === 0) {
      const [first] = branch.branches
      if (first === undefined) throw new Error('a branch of the queue counts somebody who is not there')
      const [key, next] = first
      branch.branches.delete(key)
      branch.branches.set(key, next)
      keys.push(key)
      branch = next
    }
    const waiting = branch.line.shift()
    shrink(root, keys)
    waiting?.start()
  }

  return {
    async run<Result>(owner: Owner, work: () => Promise<Result>): Promise<Result> {
      if (running < concurrency) running++
      else await new Promise<void>((start, reject) => enqueue(owner, { start, reject }))
      try {
        return await work()
      } finally {
        startNext()
      }
    },
    queued: () => root.size,
  }
}

function createBranch(): Branch {
  return { size: 0, branches: new Map(), line: [] }
}

function heaviestIn(branch: Branch | undefined): [string, Branch | undefined] {
  let [key, heaviest]: [string, Branch | undefined] = ['', undefined]
  for (const [otherKey, other] of branch?.branches ?? []) {
    if (heaviest === undefined || other.size > heaviest.size) [key, heaviest] = [otherKey, other]
  }
  return [key, heaviest]
}

/** One less from here down along these keys; what is empty is forgotten. */
function shrink(from: Branch, keys: readonly string[]): void {
  let branch = from
  branch.size--
  for (const key of keys) {
    const next = branch.branches.get(key)
    if (next === undefined) return
    next.size--
    if (next.size === 0) branch.branches.delete(key)
    branch = next
  }
}
