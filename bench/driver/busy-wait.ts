import { setPriority } from 'node:os'
import { nowMs } from './clock.ts'

/**
 * Niceness of the process that busy-waits. Another client process shares the core and needs a higher priority to send or
 * receive on time.
 */
const niceness = 5

/**
 * Creates a loop that keeps this process from sleeping. A write of the server to a sleeping process has to wake that
 * process, which costs the server about 50 % more CPU. Whether a process sleeps depends on small timing differences, so
 * the measured cost would be random.
 */
export function createBusyWait(bytesReceived: () => number) {
  let immediate: NodeJS.Immediate | undefined
  let [idleMs, lastCount, lastTurnAtMs] = [0, 0, 0]

  /** Counts a turn without new bytes as idle time. */
  function countIdleTurn(): void {
    const now = nowMs()
    const count = bytesReceived()
    if (count === lastCount) idleMs += now - lastTurnAtMs
    lastCount = count
    lastTurnAtMs = now
    immediate = setImmediate(countIdleTurn)
  }

  function stop(): void {
    if (immediate !== undefined) clearImmediate(immediate)
    immediate = undefined
  }

  return {
    start(): void {
      stop()
      setPriority(niceness)
      idleMs = 0
      lastCount = bytesReceived()
      lastTurnAtMs = nowMs()
      countIdleTurn()
    },
    stop,
    /** Returns the idle time since `start`. */
    idleMs: () => idleMs,
  }
}
