import type { StoredMessage } from './message-log.ts'

const maxRecent = 2_000

/** The newest messages in memory, so that a crowd that comes back does not ask the disk for the same page each. */
export function createRecentMessages() {
  let messages: StoredMessage[] = []

  return {
    add(batch: readonly StoredMessage[]): void {
      messages.push(...batch)
      // Cut rarely and by half: shifting one by one would move the whole array for each message.
      if (messages.length > maxRecent * 2) messages = messages.slice(-maxRecent)
    },
    /** A page from `seq` on; `null` when it is not held here. */
    from(seq: number, maxMessages: number): StoredMessage[] | null {
      const first = messages[0]
      if (first === undefined || seq < first.seq) return null
      const start = seq - first.seq
      return messages.slice(start, start + maxMessages)
    },
  }
}
