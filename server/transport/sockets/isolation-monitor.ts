import type { Logger } from 'pino'

/** Interval of the checks. They find an outage although no client sends. */
const lookEveryMs = 1_000

interface CutOffDeps {
  /** `null` when there is no other node. */
  leaveAfterMs: number | null
  isRoomWell: () => Promise<boolean>
  /** Closes the connections, so that clients find another node. The signal aborts when the room is back. */
  leave: (signal: AbortSignal) => void
  log: Logger
}

/** Sends the clients to other nodes after a long outage of the room. During a shorter one they stay connected. */
export function watchCutOff({ leaveAfterMs, isRoomWell, leave, log }: CutOffDeps) {
  let awaySinceMs: number | null = null
  /** Not `null` while the node is cut off. */
  let leaving: AbortController | null = null

  async function look(patienceMs: number): Promise<void> {
    if (await isRoomWell()) {
      awaySinceMs = null
      leaving?.abort()
      leaving = null
      return
    }
    awaySinceMs ??= performance.now()
    if (leaving !== null || performance.now() - awaySinceMs < patienceMs) return
    leaving = new AbortController()
    log.warn('cut off from the room for too long: connections are closed, so that pages find another node')
    leave(leaving.signal)
  }

  const timer = leaveAfterMs === null ? undefined : setInterval(() => void look(leaveAfterMs), lookEveryMs).unref()
  return {
    /** New connections are rejected until the room is back. */
    isCutOff: () => leaving !== null,
    stop: () => clearInterval(timer),
  }
}
