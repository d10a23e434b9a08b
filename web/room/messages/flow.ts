import { endOf, type MessageList } from '../../connection/receiving/message-buffer.ts'

/** How fast entries have come of late. */
export interface Flow {
  /** Where the list ended at the last look. */
  readonly end: number
  readonly atMs: number
  /** How many looks in a row have found it fast. */
  readonly fastLooks: number
}

const lookEveryMs = 150
/** A burst is over before anything else could be drawn for it; a flood goes on. */
const looksOfFlood = 3
/** Far more than anybody reads, and so many that drawing each of them leaves no time for the reader's own keys. */
const floodPerSecond = 500
/** What has become a flood remains one until it is well below that: the list is not to be drawn anew again and again. */
const calmPerSecond = 100

export const isFlood = ({ fastLooks }: Flow) => fastLooks >= looksOfFlood

export const calmFlow = (list: MessageList): Flow => ({ end: endOf(list), atMs: list.takenAtMs, fastLooks: 0 })

export function flowAt(before: Flow, list: MessageList): Flow {
  const elapsedMs = list.takenAtMs - before.atMs
  if (elapsedMs < lookEveryMs) return before
  const perSecond = ((endOf(list) - before.end) * 1_000) / elapsedMs
  const isFast = perSecond > (isFlood(before) ? calmPerSecond : floodPerSecond)
  return { end: endOf(list), atMs: list.takenAtMs, fastLooks: isFast ? before.fastLooks + 1 : 0 }
}
