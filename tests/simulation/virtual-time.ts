import type { Random } from '../faults/random.ts'

/** Whoever's timers these are: when a process dies, its timers die with it. */
export interface Owner {
  readonly name: string
  alive: boolean
}

interface Task {
  readonly atMs: number
  /** Breaks ties, at random: what is due at the same moment may come in any order. */
  readonly rank: number
  readonly owner: Owner
  run: (() => void) | null
}

const realSetImmediate = setImmediate
/** Far from zero: no rule may take the time since the start for a date. */
const epochMs = 1_700_000_000_000

export type VirtualTime = ReturnType<typeof createVirtualTime>

/**
 * A clock that stands still while code runs and leaps to the next thing due. It takes the place of the process's own
 * timers, so that the real modules run on it as they are. Between two tasks all promises settle, as in Node itself.
 */
export function createVirtualTime(random: Random) {
  const queue = createHeap()
  const world: Owner = { name: 'world', alive: true }
  let nowMs = 0
  let current = world

  function schedule(run: () => void, delayMs: number, owner = current): Task {
    const task: Task = { atMs: nowMs + Math.max(0, delayMs), rank: random.whole(0, 0xffff_ffff), owner, run }
    queue.push(task)
    return task
  }

  function scheduleEvery(run: () => void, everyMs: number): Task {
    const repeating: Task = { atMs: 0, rank: 0, owner: current, run }
    const again = () => {
      if (repeating.run === null) return
      run()
      schedule(again, everyMs, repeating.owner)
    }
    schedule(again, everyMs)
    return repeating
  }

  const cancel = (task: Task | undefined) => {
    if (task !== undefined) task.run = null
  }

  /** Runs what is due until nothing is, or until `isOver`. */
  async function run(isOver: () => boolean, limitMs: number): Promise<void> {
    while (!isOver()) {
      const task = queue.pop()
      if (task === undefined || task.atMs > limitMs) return
      nowMs = Math.max(nowMs, task.atMs)
      if (task.run === null || !task.owner.alive) continue
      current = task.owner
      task.run()
      await new Promise((resolve) => realSetImmediate(resolve))
      current = world
    }
  }

  return {
    nowMs: () => nowMs,
    /** The timers that `run` sets, and those that what it resolves sets, are the owner's too. */
    after: (delayMs: number, run: () => void, owner = world) => schedule(run, delayMs, owner),
    /** Runs `work` as a part of `owner`: the timers that it sets, and those that they set, are its own. */
    as<Result>(owner: Owner, work: () => Result): Result {
      const before = current
      current = owner
      try {
        return work()
      } finally {
        current = before
      }
    },
    run,
    /** What replaces the timers of the process. */
    globals: {
      setTimeout: (callback: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]) =>
        handleOf(schedule(() => callback(...args), delayMs)),
      clearTimeout: (handle: Handle | undefined) => cancel(handle?.task),
      setInterval: (callback: () => void, everyMs = 0) => handleOf(scheduleEvery(callback, everyMs)),
      clearInterval: (handle: Handle | undefined) => cancel(handle?.task),
      setImmediate: (callback: (...args: unknown[]) => void, ...args: unknown[]) =>
        handleOf(schedule(() => callback(...args), 0)),
      clearImmediate: (handle: Handle | undefined) => cancel(handle?.task),
    },
    dateNow: () => epochMs + Math.floor(nowMs),
  }
}

interface Handle {
  task: Task
  ref: () => Handle
  unref: () => Handle
}

function handleOf(task: Task): Handle {
  const handle: Handle = { task, ref: () => handle, unref: () => handle }
  return handle
}

function createHeap() {
  const tasks: Task[] = []
  const before = (a: Task, b: Task) => a.atMs < b.atMs || (a.atMs === b.atMs && a.rank < b.rank)
  const at = (index: number) => tasks[index] as Task

  return {
    push(task: Task): void {
      let index = tasks.push(task) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (!before(task, at(parent))) break
        tasks[index] = at(parent)
        index = parent
      }
      tasks[index] = task
    },
    pop(): Task | undefined {
      const first = tasks[0]
      const last = tasks.pop()
      if (first === undefined || last === undefined || tasks.length === 0) return first
      let index = 0
      for (;;) {
        let child = 2 * index + 1
        if (child >= tasks.length) break
        if (child + 1 < tasks.length && before(at(child + 1), at(child))) child++
        if (!before(at(child), last)) break
        tasks[index] = at(child)
        index = child
      }
      tasks[index] = last
      return first
    },
  }
}
