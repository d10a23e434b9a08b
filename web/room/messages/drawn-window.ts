import { endOf, type MessageList } from '../../connection/receiving/message-buffer.ts'
import type { Interval } from './intervals.ts'

/** Up to here the list stands in the document whole; beyond, it is virtualised. */
export const plainUpTo = 2_000
/** Should the virtualised list be late to arrive, the oldest entries wait: a document with too many is slow. */
const mostEntries = plainUpTo + 200
/** Nobody prints more, and a browser that lays it out stands still for seconds. */
const mostPrinted = 10_000

export const rowsPerChunk = 50

/** So many entries are drawn at once without anybody noticing; a long list that is opened anew fills up frame by frame. */
const entriesPerFrame = 200

/** Where drawing begins: in the part of the list where the reader is. */
export function drawnAtFirst(list: MessageList, around: number): Interval {
  const from = Math.max(list.first, Math.min(around - entriesPerFrame / 2, endOf(list) - entriesPerFrame))
  return { from, to: from }
}

export interface DrawnWindow extends Interval {
  readonly isWhole: boolean
}

/** A step further towards the whole list: the newest first, then what is older. */
export function drawnNext(list: MessageList, drawn: Interval, printing: boolean): DrawnWindow {
  const end = endOf(list)
  if (printing) return { from: Math.max(list.first, end - mostPrinted), to: end, isWhole: true }
  const least = Math.max(list.first, end - mostEntries)
  const to = Math.min(end, Math.max(drawn.to, least) + entriesPerFrame)
  const grown = to - drawn.to
  const from = Math.max(least, drawn.from - Math.max(0, entriesPerFrame - grown))
  return { from: Math.min(from, to), to, isWhole: from === least && to === end }
}
