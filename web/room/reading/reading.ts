import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { append, type Interval, type Intervals, subtract } from './intervals.ts'

/** What the reader has had on the screen, and what not. Places are keys of entries, which never change. */
export interface Reading {
  /** The reader is at the end and wants to stay there as the list grows. */
  readonly following: boolean
  readonly unseen: Intervals
  /** The unread line stands before this entry. */
  readonly line: Line | null
}

interface Line {
  readonly key: number
  readonly shown: boolean
}

export const startOfReading: Reading = { following: true, unseen: [], line: null }

/** What has come since it was last asked. */
export interface Arrivals extends Interval {
  /** Whether the list is on the screen, in a page that is not hidden. */
  readonly watched: boolean
  /** Among them is a message of the reader's own. */
  readonly own: boolean
}

export function arrived(reading: Reading, { from, to, watched, own }: Arrivals): Reading {
  // Who writes has turned to the end of the talk, wherever they were reading.
  if (own && watched) return latest(reading)
  const next = own && !reading.following ? { ...reading, following: true } : reading
  if ((watched && next.following) || from >= to) return next
  const line = next.unseen.length === 0 ? { key: from, shown: false } : next.line
  return { ...next, unseen: append(next.unseen, { from, to }), line }
}

/** What the list shows now. */
export interface View {
  readonly atEnd: boolean
  readonly movedUp: boolean
  /** The entries on the screen. */
  readonly visible: Interval
  /** Those, and what a reader who scrolls has passed since the last view. */
  readonly passed: Interval
  readonly watched: boolean
}

export function looked(reading: Reading, { atEnd, movedUp, visible, passed, watched }: View): Reading {
  // A list that grew under a reader at its end has not been left: only moving up leaves it.
  const following = atEnd || (reading.following && !movedUp)
  const unseen = watched ? subtract(reading.unseen, passed) : reading.unseen
  const line = watched ? lineAfter(reading.line, visible) : reading.line
  const unchanged = following === reading.following && unseen === reading.unseen && line === reading.line
  return unchanged ? reading : { following, unseen, line }
}

/** The line stays until it has been on the screen and has left it upwards. */
function lineAfter(line: Line | null, { from, to }: Interval): Line | null {
  if (line === null || from >= to) return line
  if (line.shown) return line.key < from ? null : line
  return line.key >= from && line.key < to ? { ...line, shown: true } : line
}

/** The reader goes to the end and leaves be what was not read. The line stays where it is. */
export function latest(reading: Reading): Reading {
  return { ...reading, following: true, unseen: [] }
}

/** The reader goes to a place in the list. */
export function awayFromEnd(reading: Reading): Reading {
  return { ...reading, following: false }
}

/** Without what is no longer kept. */
export function trimmed(reading: Reading, first: number): Reading {
  const unseen = subtract(reading.unseen, { from: 0, to: first })
  const line = reading.line !== null && reading.line.key < first ? null : reading.line
  return unseen === reading.unseen && line === reading.line ? reading : { ...reading, unseen, line }
}

function messagesBefore(list: MessageList, key: number): number {
  for (let at = Math.min(key, endKey(list)) - 1; at >= list.firstKey; at--) {
    const entry = entryAt(list, at)
    if (entry?.kind === 'message') return entry.number
  }
  for (let at = Math.max(key, list.firstKey); at < endKey(list); at++) {
    const entry = entryAt(list, at)
    if (entry?.kind === 'message') return entry.number - 1
  }
  return list.receivedCount
}

/** How many messages have come that the reader has not had on the screen. */
export function unseenMessages({ unseen }: Reading, list: MessageList): number {
  return unseen.reduce((sum, { from, to }) => sum + messagesBefore(list, to) - messagesBefore(list, from), 0)
}
