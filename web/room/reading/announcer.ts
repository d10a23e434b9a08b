import type { ChatMessage } from '../../../contract/messages.ts'

/** Messages that follow each other faster than this are told together. */
const quietMs = 600
/** In a room that never falls quiet, how long a listener waits at most. */
const longestWaitMs = 3_000

export interface Pending {
  messages: number
  senders: ReadonlySet<string>
  last: ChatMessage
  firstAtMs: number
  lastAtMs: number
}

/** Takes what has just been said into what is to be told next. */
export function collect(pending: Pending | null, said: readonly ChatMessage[], nowMs: number): Pending | null {
  const last = said.at(-1)
  if (last === undefined) return pending
  const senders = new Set(pending?.senders)
  for (const { username } of said) senders.add(username)
  return {
    messages: (pending?.messages ?? 0) + said.length,
    senders,
    last,
    firstAtMs: pending?.firstAtMs ?? nowMs,
    lastAtMs: nowMs,
  }
}

export function dueAtMs(pending: Pending): number {
  return Math.min(pending.lastAtMs + quietMs, pending.firstAtMs + longestWaitMs)
}

/** One message is told as itself, a burst as a sum: nobody can listen to fifty messages a second. */
export function announcement({ messages, senders, last }: Pending): string {
  if (messages === 1) return `${last.username} : ${last.message}`
  const people = senders.size === 1 ? last.username : `${senders.size} people`
  return `${messages} new messages from ${people}`
}
