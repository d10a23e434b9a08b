import type { RejectionError } from '../base/rejection-error.ts'

export interface QueueLimits {
  concurrency: number
  maxQueued: number
}

interface QueuedTask {
  start: () => void
  reject: (reason: RejectionError) => void
}

/** Queued tasks of a network, grouped by the narrower networks in it. Only the leaves hold tasks. */
interface QueueNode {
  size: number
  children: Map<string, QueueNode>
  tasks: QueuedTask[]
}

/** Networks of the client, the widest first. */
export type OwnerPath = readonly string[]

/**
 * Runs expensive tasks with limited concurrency. Networks take turns, and so do the addresses within a network. A
 * client with a thousand requests, from any number of addresses in one network, delays mainly itself. When the queue is
 * full, the newest task of the network and address with the most queued tasks is rejected. This may be the new task.
 */
export function createFairQueue({ concurrency, maxQueued }: QueueLimits, createRejection: () => RejectionError) {
  const root = createQueueNode()
  let running = 0

  function enqueue(owner: OwnerPath, task: QueuedTask): void {
    if (root.size >= maxQueued && !makeRoom(owner)) return task.reject(createRejection())
    let node = root
    node.size++
    for (const key of owner) {
      const next = node.children.get(key) ?? createQueueNode()
      node.children.set(key, next)
      node = next
      node.size++
    }
    node.tasks.push(task)
  }

  /** Rejects the newest task of a network with more tasks than this owner would have. Returns `false` if there is none. */
  function makeRoom(owner: OwnerPath): boolean {
    const path: QueueNode[] = [root]
    let node: QueueNode | undefined = root
    for (const key of owner) {
      const [largestKey, largest] = largestChild(node)
      const own: QueueNode | undefined = node?.children.get(key)
      if (largest !== undefined && largestKey !== key && largest.size > (own?.size ?? 0) + 1) {
        dropNewest(path, largestKey, largest)
        return true
      }
      if (own === undefined) return false
      path.push(own)
      node = own
    }
    return false
  }

  function dropNewest(path: QueueNode[], key: string, largest: QueueNode): void {
    const keys = [key]
    let node = largest
    while (node.tasks.length === 0) {
      const [nextKey, next] = largestChild(node)
      if (next === undefined) return
      keys.push(nextKey)
      node = next
    }
    node.tasks.pop()?.reject(createRejection())
    decrementSizes(path.at(-1) ?? root, keys)
    for (const ancestor of path.slice(0, -1)) ancestor.size--
  }

  /** Starts the next task in round-robin order, and moves its networks to the end of the order. */
  function startNext(): void {
    if (root.size === 0) {
      running--
      return
    }
    const keys: string[] = []
    let node = root
    while (node.tasks.length === 0) {
      const [first] = node.children
      if (first === undefined) throw new Error('fair queue: a node counts a task that does not exist')
      const [key, next] = first
      node.children.delete(key)
      node.children.set(key, next)
      keys.push(key)
      node = next
    }
    const task = node.tasks.shift()
    decrementSizes(root, keys)
    task?.start()
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

function largestChild(node: QueueNode | undefined): [string, QueueNode | undefined] {
  let [key, largest]: [string, QueueNode | undefined] = ['', undefined]
  for (const [otherKey, other] of node?.children ?? []) {
    if (largest === undefined || other.size > largest.size) [key, largest] = [otherKey, other]
  }
  return [key, largest]
}

/** Decrements the size of each node from `from` along `keys`, and deletes empty nodes. */
function decrementSizes(from: QueueNode, keys: readonly string[]): void {
  let node = from
  node.size--
  for (const key of keys) {
    const next = node.children.get(key)
    if (next === undefined) return
    next.size--
    if (next.size === 0) node.children.delete(key)
    node = next
  }
}
