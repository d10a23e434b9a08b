import { setPriority } from 'node:os'
import { nowMs } from './clock.ts'

/** Below whoever sends, which shares the core and has to be on time. */
const niceness = 5

/**
 * Keeps the load from sleeping while it receives. If it slept, a write of the server would have to wake it, or would not,
 * whichever of the two happened to be a little faster, and one that does costs the server half as much again: the same
 * program then has two costs, and which of them is measured is chance.
 */
export function createVigil(received: () => number) {
  let turn: NodeJS.Immediate | undefined
  let [idleMs, seen, lookedAtMs] = [0, 0, 0]

  /** A turn in which nothing came is no work. */
  function look(): void {
    const now = nowMs()
    const count = received()
    if (count === seen) idleMs += now - lookedAtMs
    seen = count
    lookedAtMs = now
    turn = setImmediate(look)
  }

  function end(): void {
    if (turn !== undefined) clearImmediate(turn)
    turn = undefined
  }

  return {
    begin(): void {
      end()
      setPriority(niceness)
      idleMs = 0
      seen = received()
      lookedAtMs = nowMs()
      look()
    },
    end,
    /** Since it began. */
    idleMs: () => idleMs,
  }
}
