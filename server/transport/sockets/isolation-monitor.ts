import type { Report } from '../../observe/events.ts'

/** Interval of the checks. They find an outage although no client sends. */
const checkEveryMs = 1_000

interface IsolationDeps {
  /** `null` when there is no other node. */
  isolatedAfterMs: number | null
  isRoomWritable: () => Promise<boolean>
  /** Closes the connections, so that clients find another node. The signal aborts when the room is back. */
  leave: (signal: AbortSignal) => void
  report: Report
}

/** Sends the clients to other nodes after a long outage of the room. During a shorter one they stay connected. */
export function monitorIsolation({ isolatedAfterMs, isRoomWritable, leave, report }: IsolationDeps) {
  let unavailableSinceMs: number | null = null
  /** Not `null` while the node is isolated. */
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
    /** New connections are rejected until the room is back. */
    isIsolated: () => leaving !== null,
    stop: () => clearInterval(timer),
  }
}
