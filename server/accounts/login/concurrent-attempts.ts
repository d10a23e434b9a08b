import { RejectionError } from '../../base/rejection-error.ts'

/** Attempts under one key that are being checked, and those that wait for them. */
interface Gate {
  checking: number
  waiting: (() => void)[]
}

/** So many may be checked at once under this key. */
export interface Turn {
  key: string
  atOnce: number
}

export const maxWaiting = 256
const retryMs = 1_000

/** Lets only so many attempts be checked at once as may still fail for free: else a thousand at once would all be free. */
export function createAttemptsAtOnce() {
  const gates = new Map<string, Gate>()

  function firstFull(turns: readonly Turn[]): Gate | undefined {
    for (const { key, atOnce } of turns) {
      const gate = gates.get(key)
      if (gate !== undefined && gate.checking >= Math.max(1, atOnce)) return gate
    }
    return undefined
  }

  return {
    /** `judge` is asked again after each wait: what was waited for may have failed. It throws, or says the turns. */
    async enter(judge: () => readonly Turn[]): Promise<void> {
      for (;;) {
        const turns = judge()
        const full = firstFull(turns)
        if (full === undefined) {
          for (const { key } of turns) {
            const gate = gates.get(key) ?? { checking: 0, waiting: [] }
            gate.checking++
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
        gate.checking--
        for (const wake of gate.waiting.splice(0)) wake()
        if (gate.checking === 0) gates.delete(key)
      }
    },
  }
}
