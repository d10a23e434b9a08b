import { RejectionError } from '../../base/rejection-error.ts'

/** Attempts under one key that are being checked, and those that wait for them. */
interface KeyState {
  running: number
  waiting: (() => void)[]
}

/** So many may be checked at once under this key. */
export interface AttemptSlot {
  key: string
  maxConcurrent: number
}

export const maxWaiting = 256
const retryMs = 1_000

/** Lets only so many attempts be checked at once as may still fail for free: else a thousand at once would all be free. */
export function createAttemptLimiter() {
  const gates = new Map<string, KeyState>()

  function firstFull(turns: readonly AttemptSlot[]): KeyState | undefined {
    for (const { key, maxConcurrent } of turns) {
      const gate = gates.get(key)
      if (gate !== undefined && gate.running >= Math.max(1, maxConcurrent)) return gate
    }
    return undefined
  }

  return {
    /** `judge` is asked again after each wait: what was waited for may have failed. It throws, or says the turns. */
    async enter(judge: () => readonly AttemptSlot[]): Promise<void> {
      for (;;) {
        const turns = judge()
        const full = firstFull(turns)
        if (full === undefined) {
          for (const { key } of turns) {
            const gate = gates.get(key) ?? { running: 0, waiting: [] }
            gate.running++
            gates.set(key, gate)
          }
          return
        }
        if (full.waiting.length >= maxWaiting) {
          throw new RejectionError('unavailable', 'Too many logins at once. Please try again.', retryMs)
        }
        await new Promise<void>((resolve) => full.waiting.push(resolve))
      }
    },

    leave(keys: readonly string[]): void {
      for (const key of keys) {
        const gate = gates.get(key)
        if (gate === undefined) continue
        gate.running--
        for (const wake of gate.waiting.splice(0)) wake()
        if (gate.running === 0) gates.delete(key)
      }
    },
  }
}
