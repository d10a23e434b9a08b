import type { RosterStore } from './roster-store.ts'

/** Minimum time between two published changes, so that many joins at once become a few changes. */
const batchIntervalMs = 100

/**
 * Publishes the connections of this node. The version increases with every attempt, including failed ones: a change
 * that timed out and reaches Redis after a later list finds another version and has no effect.
 */
export function createOwnList(store: Pick<RosterStore, 'change' | 'replace'>, onFailed: (error: unknown) => void) {
  const ids = new Set<string>()
  const joined = new Set<string>()
  const left = new Set<string>()
  let version = 0
  /** Whether the stored list is missing or unknown. The next heartbeat then publishes the whole list. */
  let needsWholeList = true
  let isPublishing = false
  let timer: NodeJS.Timeout | undefined
  let lastPublishedAt = Number.NEGATIVE_INFINITY
  let isClosed = false

  function scheduleChange(): void {
    if (isPublishing || isClosed || needsWholeList) return
    const delayMs = Math.max(0, lastPublishedAt + batchIntervalMs - performance.now())
    timer ??= setTimeout(() => void publish(publishChange), delayMs)
  }

  async function publish(work: () => Promise<void>): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    isPublishing = true
    try {
      await work()
    } catch (error) {
      // The change may or may not be stored.
      needsWholeList = true
      onFailed(error)
    }
    isPublishing = false
    lastPublishedAt = performance.now()
    if (joined.size > 0 || left.size > 0) scheduleChange()
  }

  async function publishWholeList(): Promise<void> {
    needsWholeList = false
    joined.clear()
    left.clear()
    version += 1
    await store.replace(version, [...ids])
  }

  async function publishChange(): Promise<void> {
    const change = { joined: [...joined], left: [...left] }
    joined.clear()
    left.clear()
    const from = version
    version += 1
    if (!(await store.change(from, version, change.joined, change.left))) needsWholeList = true
  }

  return {
    join(id: string): void {
      ids.add(id)
      joined.add(id)
      scheduleChange()
    },
    leave(id: string): void {
      ids.delete(id)
      // A join that is not published yet is removed. A published join needs a leave.
      if (!joined.delete(id)) left.add(id)
      scheduleChange()
    },
    /** Publishes the whole list if the stored list is unknown, or its version is not the current version. */
    checkStoredVersion(storedVersion: number | null): void {
      if (isPublishing || isClosed) return
      if (needsWholeList || storedVersion !== version) void publish(publishWholeList)
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
  }
}
