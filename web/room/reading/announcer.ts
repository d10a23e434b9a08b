import { entryAt, type MessageEntry, type MessageList } from '../../connection/receive/message-buffer.ts'
import { textWithSender } from '../entry/entry-text.ts'
import { oneLine } from '../entry/one-line.ts'

/** Pause between messages after which the pending ones are announced together. */
const quietMs = 600
/** Maximum delay of an announcement while messages keep arriving without a pause. */
const maxWaitMs = 3_000

export interface PendingAnnouncement {
  messageCount: number
  senders: ReadonlySet<string>
  /**
   * Key of the last message. The announcement takes its text from the list only when it is due, because the message can be
   * removed before that time.
   */
  lastKey: number
  firstAtMs: number
  lastAtMs: number
}

/** Returns the pending announcement with the new messages added. */
export function collectMessages(
  pending: PendingAnnouncement | null,
  entries: readonly MessageEntry[],
  nowMs: number,
): PendingAnnouncement | null {
  const last = entries.at(-1)
  if (last === undefined) return pending
  const senders = new Set(pending?.senders)
  for (const { message } of entries) senders.add(message.username)
  return {
    messageCount: (pending?.messageCount ?? 0) + entries.length,
    senders,
    lastKey: last.key,
    firstAtMs: pending?.firstAtMs ?? nowMs,
    lastAtMs: nowMs,
  }
}

export function dueAtMs(pending: PendingAnnouncement): number {
  return Math.min(pending.lastAtMs + quietMs, pending.firstAtMs + maxWaitMs)
}

/**
 * Returns the text of a single message, or a count for several, which would take too long to read aloud. Returns `null` if
 * there is nothing to announce, for example because the single message was removed.
 */
export function announcementText(
  { messageCount, senders, lastKey }: PendingAnnouncement,
  list: MessageList,
): string | null {
  const last = entryAt(list, lastKey)
  if (last?.kind !== 'message') return null
  if (messageCount === 1) return last.isRemoved ? null : oneLine(textWithSender(last.message))
  const from = senders.size === 1 ? last.message.username : `${senders.size} senders`
  return oneLine(`${messageCount} new messages from ${from}`)
}
