import type { Entry } from '../../connection/receiving/message-buffer.ts'

/** The entry at the upper edge of the list, and how much of it is already out of sight. */
export interface Anchor {
  index: number
  offsetPx: number
}

/** Where somebody is reading. It outlives the screen, so that coming back finds the same place. */
export interface Reading {
  /** The reader is at the end and wants to stay there as the list grows. */
  stuck: boolean
  /** Entries before this one have been on the screen. */
  seen: number
  /** Where a reader is who is not at the end. */
  anchor: Anchor
}

export const startOfReading: Reading = { stuck: true, seen: 0, anchor: { index: 0, offsetPx: 0 } }

/** What the list shows after it has been scrolled. */
export interface View {
  length: number
  atEnd: boolean
  movedUp: boolean
  /** Asked for only where it matters: both make the browser lay the list out. */
  lastVisible: () => number
  top: () => Anchor
}

export function afterScroll(reading: Reading, view: View): Reading {
  if (view.atEnd) return { stuck: true, seen: view.length, anchor: reading.anchor }
  // A list that grew under a reader at its end has not been left: only moving up leaves it.
  if (reading.stuck && !view.movedUp) return reading
  const seen = reading.stuck ? view.length : Math.max(reading.seen, view.lastVisible() + 1)
  return { stuck: false, seen, anchor: view.top() }
}

function messagesBefore(entries: readonly Entry[], index: number): number {
  for (let at = index - 1; at >= 0; at--) {
    const entry = entries[at]
    if (entry?.kind === 'message') return entry.number
  }
  return 0
}

/** How many messages have come that the reader has not had on the screen. */
export function unseenMessages(reading: Reading, entries: readonly Entry[], length: number): number {
  if (reading.stuck) return 0
  return messagesBefore(entries, length) - messagesBefore(entries, reading.seen)
}
