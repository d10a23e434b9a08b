import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'

/** How fast entries have come of late. */
export interface MessageRate {
  /** Where the list ended at the last look. */
  readonly end: number
  readonly atMs: number
  /** How far they are ahead of a flow that would just be no flood: for so long none need come. */
  readonly excessMs: number
  /** For how long they have been ahead. */
  readonly highForMs: number
}

/** Far more than anybody reads, and so many that drawing each of them leaves no time for the reader's own keys. */
const floodStartPerSecond = 500
/** What has become a flood remains one until it is well below that: the list is not to be drawn anew again and again. */
const floodEndPerSecond = 100
/** A burst is over before anything else could be drawn for it; a flood goes on, */
const floodAfterMs = 400
/** and a busy page hears it in gusts: not every look finds many. */
const maxExcessMs = { beforeFlood: 200, inFlood: 1_000 }

export const isFlood = ({ highForMs }: MessageRate) => highForMs >= floodAfterMs
/** It may become one; what came in one piece will not. */
export const isHighRate = ({ highForMs }: MessageRate) => highForMs > 0

export const idleRate = (list: MessageList): MessageRate => ({
  end: endKey(list),
  atMs: list.createdAtMs,
  excessMs: 0,
  highForMs: 0,
})

export function updateRate(before: MessageRate, list: MessageList): MessageRate {
  const end = endKey(list)
  const atMs = list.createdAtMs
  const elapsedMs = atMs - before.atMs
  const wasFlood = isFlood(before)
  const earnedMs = ((end - before.end) * 1_000) / (wasFlood ? floodEndPerSecond : floodStartPerSecond)
  const limitMs = wasFlood ? maxExcessMs.inFlood : maxExcessMs.beforeFlood
  const excessMs = Math.min(limitMs, before.excessMs + earnedMs - elapsedMs)
  if (excessMs <= 0) return idleRate(list)
  return { end, atMs, excessMs, highForMs: before.excessMs > 0 ? before.highForMs + elapsedMs : 0 }
}
