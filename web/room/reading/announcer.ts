import type { ChatMessage } from '../../../contract/messages.ts'
import { oneLine } from '../entry/one-line.ts'

/** Pause between messages after which the pending ones are announced together. */
const quietMs = 600
/** Maximum delay of an announcement while messages keep arriving without a pause. */
const maxWaitMs = 3_000

export interface PendingAnnouncement {
  messageCount: number
  senders: ReadonlySet<string>
  last: ChatMessage
  firstAtMs: number
  lastAtMs: number
}

/** Adds new messages to the pending announcement. */
export function collectMessages(
  pending: PendingAnnouncement | null,
  messages: readonly ChatMessage[],
  nowMs: number,
): PendingAnnouncement | null {
  const last = messages.at(-1)
  if (last === undefined) return pending
  const senders = new Set(pending?.senders)
  for (const { username } of messages) senders.add(username)
  return {
    messageCount: (pending?.messageCount ?? 0) + messages.length,
    senders,
    last,
    firstAtMs: pending?.firstAtMs ?? nowMs,
    lastAtMs: nowMs,
  }
}

export function dueAtMs(pending: PendingAnnouncement): number {
  return Math.min(pending.lastAtMs + quietMs, pending.firstAtMs + maxWaitMs)
}

/** Returns the text of a single message, or a count for a burst that is too fast to be read aloud. */
export function announcementText({ messageCount, senders, last }: PendingAnnouncement): string {
  if (messageCount === 1) return oneLine(`${last.username} : ${last.message}`)
  const from = senders.size === 1 ? last.username : `${senders.size} people`
  return oneLine(`${messageCount} new messages from ${from}`)
}
