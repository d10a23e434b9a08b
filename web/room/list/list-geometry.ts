import type { Ref } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import type { Interval } from '../reading/intervals.ts'
import type { MentionMatcher } from '../entry/mentions.ts'
import type { Anchor } from '../reading/reading-memory.ts'

/** What a component that draws the messages can be asked to do. */
export interface ListHandle {
  scrollToAnchor(anchor: Anchor): void
  /** Puts the anchor back after entries above it have changed their sizes; missing where the list sees to it itself. */
  restoreAnchor?(anchor: Anchor): void
}

export interface MessageListProps {
  list: MessageList
  /** The entry that has the keyboard's focus stays in the document, however far it is scrolled away. */
  focusedKey: number | null
  /** The entry that the unread line stands before. */
  unreadLineKey: number | null
  mentionsUser: MentionMatcher
  isPrinting: boolean
  /** Entries come so fast that there is no time to fill in others. */
  isRateHigh: boolean
  ref: Ref<ListHandle>
}

/** The room that the list keeps above its first entry; `.message-scroller::before` has this height. */
export const listMarginTopPx = 8

/** What is on the screen, and where it begins. */
export interface VisibleEntries extends Interval {
  readonly anchor: Anchor
}

const keyOf = (item: Element) => Number(item.getAttribute('data-index'))

export const entryElement = (scroller: ParentNode | null, key: number) =>
  scroller?.querySelector<HTMLElement>(`li[data-index="${key}"]`) ?? null

const isHidden = (item: Element) => item instanceof HTMLElement && item.style.visibility === 'hidden'

/** The first of the entries, which stand in order, that ends below the edge. */
function firstEndingBelow(items: HTMLCollection, edgePx: number): number {
  let from = 0
  let to = items.length
  while (from < to) {
    const middle = (from + to) >> 1
    const item = items[middle]
    if (item !== undefined && item.getBoundingClientRect().bottom > edgePx) to = middle
    else from = middle + 1
  }
  return from
}

/** The entries that are drawn and can be seen; `null` while none can. Makes the browser lay the list out. */
export function visibleEntries(scroller: HTMLElement): VisibleEntries | null {
  const items = scroller.querySelector('ol')?.children
  if (items === undefined) return null
  const view = scroller.getBoundingClientRect()
  const first = items[firstEndingBelow(items, view.top)]
  if (first === undefined) return null
  if (first.getBoundingClientRect().top >= view.bottom - 1) return null
  const anchorItem = anchorElement(first, view)
  const from = keyOf(first)
  let to = from + 1
  for (let item = first.nextElementSibling; item !== null; item = item.nextElementSibling) {
    // The virtualiser hides what it has not measured yet.
    if (item.getBoundingClientRect().top >= view.bottom - 1 || isHidden(item)) break
    to = keyOf(item) + 1
  }
  const offsetPx = view.top - anchorItem.getBoundingClientRect().top
  return { from, to, anchor: { key: keyOf(anchorItem), offsetPx } }
}

/** The first entry that begins inside the view: its place does not depend on how high it is thought to be. */
function anchorElement(first: Element, view: DOMRect): Element {
  const next = first.getBoundingClientRect().top < view.top ? first.nextElementSibling : null
  return next !== null && next.getBoundingClientRect().top < view.bottom ? next : first
}
