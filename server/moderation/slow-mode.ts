import { putNewest } from '../base/newest-entries.ts'

/** Maximum number of tracked senders. Above it, slow mode evicts the least recent senders, which may then send earlier. */
export const maxSlowSenders = 20_000

/** Permission to send one message. The sender gets no other slot until the pause is over or this slot is released. */
export interface Slot {
  sender: string
  sentAtMs: number
  /** Id of the message, by which slow mode recognizes a repeat; `null` if the message has no id. */
  messageId: string | null
}

/** Enforces the pause between two messages of one sender on this node. */
export function createSlowMode(now: () => number = () => performance.now()) {
  const slots = new Map<string, Slot>()
  return {
    /**
     * Takes a slot for a message and returns it, or returns the time in ms that the sender must wait. Returns 'repeated' for
     * a repeat of the last message, which takes no slot.
     */
    take(sender: string, messageId: string | null, pauseMs: number): Slot | number | 'repeated' {
      const last = slots.get(sender)
      if (last !== undefined) {
        if (messageId !== null && last.messageId === messageId) return 'repeated'
        const waitMs = last.sentAtMs + pauseMs - now()
        if (waitMs > 0) return Math.ceil(waitMs)
      }
      const slot = { sender, sentAtMs: now(), messageId }
      putNewest(slots, sender, slot, maxSlowSenders)
      return slot
    },
    /** Releases the slot of a message that was not stored, unless a later message of the sender has taken another one. */
    release(slot: Slot): void {
      if (slots.get(slot.sender) === slot) slots.delete(slot.sender)
    },
  }
}
