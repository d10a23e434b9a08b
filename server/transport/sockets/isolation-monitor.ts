import type { Report } from '../../observe/events.ts'

/** Interval of the checks, which detect an outage even if no client sends. */
const checkEveryMs = 1_000

interface IsolationDeps {
  /** Duration of an outage after which the node counts as isolated; `null` without a cluster. */
  isolatedAfterMs: number | null
  isRoomWritable: () => Promise<boolean>
  /**
   * Closes the connections, so that clients connect to another node. The signal aborts when the room is writable again.
   */
  leave: (signal: AbortSignal) => void
  report: Report
}

/**
 * Moves the clients to other nodes after a long outage of the room. During a shorter outage, the clients stay connected.
 */
export function monitorIsolation({ isolatedAfterMs, isRoomWritable, leave, report }: IsolationDeps) {
  let unavailableSinceMs: number | null = null
  /** Controller that aborts the drain. It is not `null` while the node is isolated. */
  let leaving: AbortController | null = null

  async function check(timeoutMs: number): Promise<void> {
    if (await isRoomWritable()) {
      unavailableSinceMs = null
      leaving?.abort()
      leaving = null
      return
    }
    unavailableSinceMs ??= performance.now()
    if (leaving !== null || performance.now() - unavailableSinceMs < timeoutMs) return
    leaving = new AbortController()
    report({ type: 'node-isolated' })
    leave(leaving.signal)
  }

  const timer =
    isolatedAfterMs === null ? undefined : setInterval(() => void check(isolatedAfterMs), checkEveryMs).unref()
  return {
    /** Returns whether the node is isolated. It then rejects new connections until the room is writable again. */
    isIsolated: () => leaving !== null,
    stop: () => clearInterval(timer),
  }
}
