import { endKey, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { append, type Interval, subtract } from './intervals.ts'
import type { ReadingState, UnreadDivider } from './reading-state.ts'

/** Entries that were added to the list since the last update. */
export interface Arrivals extends Interval {
  /** Whether the list is on the screen and the page is not hidden. */
  readonly isVisible: boolean
  /**
   * Whether the list has a new message of this page since the last update. The value is false while the list is held at
   * its position.
   */
  readonly hasOwn: boolean
}

export function addArrivals(reading: ReadingState, { from, to, isVisible, hasOwn }: Arrivals): ReadingState {
  // Sending a message scrolls the list to its end from any position.
  if (hasOwn && isVisible) return jumpToLatest(reading)
  const next: ReadingState = hasOwn && !reading.isFollowing ? { ...reading, isFollowing: true } : reading
  if ((isVisible && next.isFollowing) || from >= to) return next
  const unreadDivider = next.unseen.length === 0 ? { key: from, wasShown: false } : next.unreadDivider
  return { ...next, unseen: append(next.unseen, { from, to }), unreadDivider }
}

/** Scroll state of the list. */
export interface View {
  readonly isAtEnd: boolean
  readonly hasMovedUp: boolean
  /** Entries on the screen. */
  readonly visible: Interval
  /** Visible entries, and the entries that the user scrolled past since the last view. */
  readonly passed: Interval
  readonly isVisible: boolean
}

export function applyView(
  reading: ReadingState,
  { isAtEnd, hasMovedUp, visible, passed, isVisible }: View,
): ReadingState {
  // Growth of the list does not stop following, although the list is then briefly not at its end.
  const isFollowing = isAtEnd || (reading.isFollowing && !hasMovedUp)
  const unseen = isVisible ? subtract(reading.unseen, passed) : reading.unseen
  const unreadDivider = isVisible ? updateDivider(reading.unreadDivider, visible) : reading.unreadDivider
  const isUnchanged =
    isFollowing === reading.isFollowing && unseen === reading.unseen && unreadDivider === reading.unreadDivider
  return isUnchanged ? reading : { isFollowing, unseen, unreadDivider }
}

/** Removes the divider after it was on the screen and was scrolled out at the top. */
function updateDivider(divider: UnreadDivider | null, { from, to }: Interval): UnreadDivider | null {
  if (divider === null || from >= to) return divider
  if (divider.wasShown) return divider.key < from ? null : divider
  return divider.key >= from && divider.key < to ? { ...divider, wasShown: true } : divider
}

/** Returns the state that follows the end, with every entry seen. The unread divider stays. */
export function jumpToLatest(reading: ReadingState): ReadingState {
  return { ...reading, isFollowing: true, unseen: [] }
}

export function stopFollowing(reading: ReadingState): ReadingState {
  return { ...reading, isFollowing: false }
}

/** Drops entries before `firstKey`, which the page no longer keeps. */
export function dropTrimmed(reading: ReadingState, firstKey: number): ReadingState {
  const unseen = subtract(reading.unseen, { from: 0, to: firstKey })
  const unreadDivider =
    reading.unreadDivider !== null && reading.unreadDivider.key < firstKey ? null : reading.unreadDivider
  return unseen === reading.unseen && unreadDivider === reading.unreadDivider
    ? reading
    : { ...reading, unseen, unreadDivider }
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

/** Returns the number of unseen messages. Notices in the list do not count. */
export function countUnseen({ unseen }: ReadingState, list: MessageList): number {
  return unseen.reduce((sum, { from, to }) => sum + messagesBefore(list, to) - messagesBefore(list, from), 0)
}
