import type { Logger } from 'pino'

/** Also to notice that the room is away although nobody sends. */
const lookEveryMs = 1_000

interface CutOffDeps {
  /** `null`: there is no other place to go. */
  leaveAfterMs: number | null
  isRoomWell: () => Promise<boolean>
  /** Sends everybody away, so that pages find another node. */
  leave: () => void
  log: Logger
}

/** Pages of a node that has lost the room for long are better off elsewhere; a shorter outage they sit out here. */
export function watchCutOff({ leaveAfterMs, isRoomWell, leave, log }: CutOffDeps) {
  let awaySinceMs: number | null = null
  let isCutOff = false

  async function look(patienceMs: number): Promise<void> {
    if (await isRoomWell()) {
      awaySinceMs = null
      isCutOff = false
      return
    }
    awaySinceMs ??= performance.now()
    if (isCutOff || performance.now() - awaySinceMs < patienceMs) return
    isCutOff = true
    log.warn('cut off from the room for too long: connections are closed, so that pages find another node')
    leave()
  }

  const timer = leaveAfterMs === null ? undefined : setInterval(() => void look(leaveAfterMs), lookEveryMs).unref()
  return {
    /** Nobody new is let in until the room is back. */
    isCutOff: () => isCutOff,
    stop: () => clearInterval(timer),
  }
}
