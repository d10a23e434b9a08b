import { putNewest } from '../base/newest-entries.ts'

/** Maximum number of tracked senders. Above it, slow mode evicts the least recent senders, which may then send earlier. */
export const maxSlowSenders = 20_000

interface Slot {
  sentAtMs: number
  /** Id of the message, whose repeat does not count; `null` if it has none. */
  messageId: string | null
}

/** Enforces the pause between two messages of one sender on this node. */
export function createSlowMode(now: () => number = () => performance.now()) {
  const slots = new Map<string, Slot>()
  return {
    /**
     * Takes the slot of the sender and returns 0, or returns how long the sender has to wait in ms. Returns 'repeated' for
     * a repeat of the last message, which takes no slot.
     */
    take(sender: string, messageId: string | null, pauseMs: number): number | 'repeated' {
      const slot = slots.get(sender)
      if (slot !== undefined) {
        if (messageId !== null && slot.messageId === messageId) return 'repeated'
        const waitMs = slot.sentAtMs + pauseMs - now()
        if (waitMs > 0) return Math.ceil(waitMs)
      }
      putNewest(slots, sender, { sentAtMs: now(), messageId }, maxSlowSenders)
      return 0
    },
    /** Releases the slot of a message that was not stored. */
    release: (sender: string) => void slots.delete(sender),
  }
}
