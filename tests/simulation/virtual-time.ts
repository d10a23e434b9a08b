import type { Random } from '../faults/random.ts'

/** Simulated process that owns timers. Its timers do not run after a crash. */
export interface Owner {
  readonly name: string
  isAlive: boolean
  /** Time until which no timer runs, as after SIGSTOP. */
  pausedUntilMs?: number
}

interface Task {
  atMs: number
  /** Random tie-breaker: tasks due at the same time run in random order. */
  readonly rank: number
  readonly owner: Owner
  run: (() => void) | null
}

const realSetImmediate = setImmediate
/** Start of `Date.now()`, far from zero, so that code which confuses it with elapsed time fails. */
const epochMs = 1_700_000_000_000

export type VirtualTime = ReturnType<typeof createVirtualTime>

/**
 * Creates a virtual clock that jumps to the time of the next task. Its timers replace the timers of the process, so
 * that the real modules run on it unchanged. All pending microtasks run between two tasks, as in Node.
 */
export function createVirtualTime(random: Random) {
  const queue = createHeap()
  const environment: Owner = { name: 'environment', isAlive: true }
  let nowMs = 0
  let delayedTasks = 0
  let current = environment

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

  /** Runs tasks until none is left, until `isOver` returns true, or until the time limit. */
  async function run(isOver: () => boolean, limitMs: number): Promise<void> {
    while (!isOver()) {
      const task = queue.pop()
      if (task === undefined || task.atMs > limitMs) return
      nowMs = Math.max(nowMs, task.atMs)
      if (task.run === null || !task.owner.isAlive) continue
      const { pausedUntilMs = 0 } = task.owner
      if (pausedUntilMs > nowMs) {
        // Delay each task slightly more than the previous delayed task, so that these tasks keep their order.
        task.atMs = pausedUntilMs + ++delayedTasks * 1e-6
        queue.push(task)
        continue
      }
      current = task.owner
      task.run()
      await new Promise((resolve) => realSetImmediate(resolve))
      current = environment
    }
  }

  return {
    nowMs: () => nowMs,
    /** Runs a task after a delay. The owner also owns the timers that the task sets. */
    after: (delayMs: number, run: () => void, owner = environment) => schedule(run, delayMs, owner),
    /** Runs `work` as part of `owner`, which then owns the timers that `work` sets before it returns. */
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
    /** Replacements of the global timer functions. */
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
