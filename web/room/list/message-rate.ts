import { endKey, type MessageList } from '../../connection/receive/message-buffer.ts'

/** How fast entries have come of late. */
export interface Flow {
  /** Where the list ended at the last look. */
  readonly end: number
  readonly atMs: number
  /** How far they are ahead of a flow that would just be no flood: for so long none need come. */
  readonly aheadMs: number
  /** For how long they have been ahead. */
  readonly fastForMs: number
}

/** Far more than anybody reads, and so many that drawing each of them leaves no time for the reader's own keys. */
const floodPerSecond = 500
/** What has become a flood remains one until it is well below that: the list is not to be drawn anew again and again. */
const calmPerSecond = 100
/** A burst is over before anything else could be drawn for it; a flood goes on, */
const floodAfterMs = 400
/** and a busy page hears it in gusts: not every look finds many. */
const mostAheadMs = { before: 200, inFlood: 1_000 }

export const isFlood = ({ fastForMs }: Flow) => fastForMs >= floodAfterMs
/** It may become one; what came in one piece will not. */
export const isFast = ({ fastForMs }: Flow) => fastForMs > 0

export const calmFlow = (list: MessageList): Flow => ({
  end: endKey(list),
  atMs: list.createdAtMs,
  aheadMs: 0,
  fastForMs: 0,
})

export function flowAt(before: Flow, list: MessageList): Flow {
  const end = endKey(list)
  const atMs = list.createdAtMs
  const elapsedMs = atMs - before.atMs
  const inFlood = isFlood(before)
  const worthMs = ((end - before.end) * 1_000) / (inFlood ? calmPerSecond : floodPerSecond)
  const mostMs = inFlood ? mostAheadMs.inFlood : mostAheadMs.before
  const aheadMs = Math.min(mostMs, before.aheadMs + worthMs - elapsedMs)
  if (aheadMs <= 0) return calmFlow(list)
  return { end, atMs, aheadMs, fastForMs: before.aheadMs > 0 ? before.fastForMs + elapsedMs : 0 }
}
