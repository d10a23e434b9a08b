import { RejectionError } from '../../base/rejection-error.ts'

interface KeyState {
  running: number
  waiting: (() => void)[]
}

interface AttemptSlot {
  key: string
  maxConcurrent: number
}

export const maxWaiting = 256
const retryMs = 1_000

/**
 * Limits the concurrent attempts of a key to `maxConcurrent`, but always allows one. Without the limit, a thousand
 * attempts at once would all start before the first one fails.
 */
export function createAttemptLimiter() {
  const states = new Map<string, KeyState>()

  function firstFull(slots: readonly AttemptSlot[]): KeyState | undefined {
    for (const { key, maxConcurrent } of slots) {
      const state = states.get(key)
      if (state !== undefined && state.running >= Math.max(1, maxConcurrent)) return state
    }
    return undefined
  }

  return {
    /**
     * Takes all slots when they are free. Calls `getSlots` again after each wait, because another attempt may have failed.
     * Rejects if `getSlots` throws, or if `maxWaiting` attempts already wait for the same key.
     */
    async acquire(getSlots: () => readonly AttemptSlot[]): Promise<void> {
      for (;;) {
        const slots = getSlots()
        const full = firstFull(slots)
        if (full === undefined) {
          for (const { key } of slots) {
            const state = states.get(key) ?? { running: 0, waiting: [] }
            state.running++
            states.set(key, state)
          }
          return
        }
        if (full.waiting.length >= maxWaiting) {
          throw new RejectionError('unavailable', 'Too many logins at once. Please try again.', retryMs)
        }
        await new Promise<void>((resolve) => full.waiting.push(resolve))
      }
    },

    release(keys: readonly string[]): void {
      for (const key of keys) {
        const state = states.get(key)
        if (state === undefined) continue
        state.running--
        for (const wake of state.waiting.splice(0)) wake()
        if (state.running === 0) states.delete(key)
      }
    },
  }
}
