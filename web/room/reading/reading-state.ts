import type { Intervals } from './intervals.ts'

/**
 * Whether the list follows its end, and which entries the user has not seen on the screen. Positions are entry keys,
 * which never change.
 */
export interface ReadingState {
  /** Whether the list stays scrolled to its end while it grows. */
  readonly isFollowing: boolean
  readonly unseen: Intervals
  readonly unreadDivider: UnreadDivider | null
}

/** Divider above the entry with this key, which was the first unread entry. */
export interface UnreadDivider {
  readonly key: number
  readonly wasShown: boolean
}

/** State before the first entry. It is not in `reading.ts`, which the page loads with the first message. */
export const initialReading: ReadingState = { isFollowing: true, unseen: [], unreadDivider: null }
