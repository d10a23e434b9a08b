import type { RejectionError } from '../base/rejection-error.ts'

export interface QueueLimits {
  concurrency: number
  maxQueued: number
}

interface QueuedTask {
  start: () => void
  reject: (reason: RejectionError) => void
}

/** Those who wait in one network, by the narrower networks in it; the narrowest hold the line itself. */
interface QueueNode {
  size: number
  children: Map<string, QueueNode>
  tasks: QueuedTask[]
}

/** Who asks, as the networks it belongs to, the widest first. */
export type OwnerPath = readonly string[]

/**
 * Costly work, a few at a time. Networks take turns, within each the narrower ones and in those the addresses, so that
 * whoever asks a thousand times, from however many addresses of its own, waits for itself; and when the queue is full,
 * it is the network, and in it the address, with most of it that is refused.
 */
export function createFairQueue({ concurrency, maxQueued }: QueueLimits, createRejection: () => RejectionError) {
  const root = createQueueNode()
  let running = 0

  function enqueue(owner: OwnerPath, waiting: QueuedTask): void {
    if (root.size >= maxQueued && !makeRoom(owner)) return waiting.reject(createRejection())
    let branch = root
    branch.size++
    for (const key of owner) {
      const next = branch.children.get(key) ?? createQueueNode()
      branch.children.set(key, next)
      branch = next
      branch.size++
    }
    branch.tasks.push(waiting)
  }

  /** Refuses the newest of whoever has more than this owner, who would come to as much with one more. */
  function makeRoom(owner: OwnerPath): boolean {
    const path: QueueNode[] = [root]
    let branch: QueueNode | undefined = root
    for (const key of owner) {
      const [heaviestKey, heaviest] = largestChild(branch)
      const own: QueueNode | undefined = branch?.children.get(key)
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

  function dropNewest(path: QueueNode[], key: string, heaviest: QueueNode): void {
    const keys = [key]
    let branch = heaviest
    while (branch.tasks.length === 0) {
      const [nextKey, next] = largestChild(branch)
      if (next === undefined) return
      keys.push(nextKey)
      branch = next
    }
    branch.tasks.pop()?.reject(createRejection())
    decrementSizes(path.at(-1) ?? root, keys)
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
    while (branch.tasks.length === 0) {
      const [first] = branch.children
      if (first === undefined) throw new Error('a branch of the queue counts somebody who is not there')
      const [key, next] = first
      branch.children.delete(key)
      branch.children.set(key, next)
      keys.push(key)
      branch = next
    }
    const waiting = branch.tasks.shift()
    decrementSizes(root, keys)
    waiting?.start()
  }

  return {
    async run<Result>(owner: OwnerPath, work: () => Promise<Result>): Promise<Result> {
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

function createQueueNode(): QueueNode {
  return { size: 0, children: new Map(), tasks: [] }
}

function largestChild(branch: QueueNode | undefined): [string, QueueNode | undefined] {
  let [key, heaviest]: [string, QueueNode | undefined] = ['', undefined]
  for (const [otherKey, other] of branch?.children ?? []) {
    if (heaviest === undefined || other.size > heaviest.size) [key, heaviest] = [otherKey, other]
  }
  return [key, heaviest]
}

/** One less from here down along these keys; what is empty is forgotten. */
function decrementSizes(from: QueueNode, keys: readonly string[]): void {
  let branch = from
  branch.size--
  for (const key of keys) {
    const next = branch.children.get(key)
    if (next === undefined) return
    next.size--
    if (next.size === 0) branch.children.delete(key)
    branch = next
  }
}
