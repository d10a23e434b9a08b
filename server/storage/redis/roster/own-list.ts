import type { RosterStore } from './roster-store.ts'

/** At once when it is quiet, then gathered: a storm of arrivals is a few steps. */
const gatherMs = 100

/**
 * This node's own sockets, told to the store step by step. Versions only ever rise, also over steps that failed: one
 * that was given up and carried out late finds another version there, and does nothing.
 */
export function createOwnList(store: Pick<RosterStore, 'change' | 'replace'>, onFailed: (error: unknown) => void) {
  const ids = new Set<string>()
  const joined = new Set<string>()
  const left = new Set<string>()
  let version = 0
  /** Nothing is there yet, or nobody knows what is: the next beat that is answered puts the whole list there. */
  let isWholeDue = true
  let telling = false
  let timer: NodeJS.Timeout | undefined
  let quietSince = Number.NEGATIVE_INFINITY
  let closed = false

  function stepSoon(): void {
    if (telling || closed || isWholeDue) return
    timer ??= setTimeout(() => void tell(tellStep), Math.max(0, quietSince + gatherMs - performance.now()))
  }

  async function tell(work: () => Promise<void>): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    telling = true
    try {
      await work()
    } catch (error) {
      // It may or may not have been done.
      isWholeDue = true
      onFailed(error)
    }
    telling = false
    quietSince = performance.now()
    if (joined.size > 0 || left.size > 0) stepSoon()
  }

  async function tellWhole(): Promise<void> {
    isWholeDue = false
    joined.clear()
    left.clear()
    version += 1
    await store.replace(version, [...ids])
  }

  async function tellStep(): Promise<void> {
    const step = { joined: [...joined], left: [...left] }
    joined.clear()
    left.clear()
    const from = version
    version += 1
    if (!(await store.change(from, version, step.joined, step.left))) isWholeDue = true
  }

  return {
    join(id: string): void {
      ids.add(id)
      joined.add(id)
      stepSoon()
    },
    leave(id: string): void {
      ids.delete(id)
      // A join that still waits here is taken back; one that is under way, or done, is followed by this.
      if (!joined.delete(id)) left.add(id)
      stepSoon()
    },
    /** What the store says it has of this node. */
    storedIs(stored: number | null): void {
      if (telling || closed) return
      if (isWholeDue || stored !== version) void tell(tellWhole)
    },
    close(): void {
      closed = true
      clearTimeout(timer)
    },
  }
}
