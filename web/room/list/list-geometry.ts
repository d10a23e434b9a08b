import type { Ref } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { type Interval, lastRun } from '../reading/intervals.ts'
import type { MentionMatcher } from '../entry/mentions.ts'
import type { Anchor } from '../reading/reading-memory.ts'

/** Methods of a list renderer. */
export interface ListHandle {
  scrollToAnchor(anchor: Anchor): void
  /** Restores the position after entries above it changed their height. Renderers that do so themselves omit it. */
  restoreAnchor?(anchor: Anchor): void
}

export interface MessageListProps {
  list: MessageList
  /**
   * Key of the entry with the keyboard focus, or of the current match of the search. Renderers keep this entry in the
   * document.
   */
  currentKey: number | null
  /** Key of the entry below the unread divider. */
  unreadDividerKey: number | null
  mentionsUser: MentionMatcher
  /** Scrolls to the end of the list. */
  goToEnd: () => void
  ref: Ref<ListHandle>
}

/** Space above and below the entries. The style sheet reads it as `--list-margin`. */
export const listMarginPx = 8

/** Entries on the screen, and the scroll position. */
export interface VisibleEntries extends Interval {
  readonly anchor: Anchor
}

/** Returns the key of an entry's element. Throws for any other element: only entries may be children of the list. */
export function keyOf(item: Element): number {
  const key = item.getAttribute('data-key')
  if (key === null) throw new Error('message list: a child is not an entry (no data-key)')
  return Number(key)
}

/** Returns the key of the entry that contains a node; `null` outside the list. */
export function closestKey(node: Node | null): number | null {
  const element = node instanceof Element ? node : (node?.parentElement ?? null)
  const item = element?.closest('.message-scroller li') ?? null
  return item === null ? null : keyOf(item)
}

export const entryElement = (scroller: ParentNode | null, key: number) =>
  scroller?.querySelector<HTMLElement>(`li[data-key="${key}"]`) ?? null

const isHidden = (item: Element) => item instanceof HTMLElement && item.style.visibility === 'hidden'

/** Returns the index of the first entry whose bottom is below the edge, by binary search: entries are in vertical order. */
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

/**
 * Returns the last run of consecutive entries that are rendered inside the viewport; `null` if there are none. Forces a
 * layout.
 */
export function visibleEntries(scroller: HTMLElement): VisibleEntries | null {
  const items = scroller.querySelector('ol')?.children
  if (items === undefined) return null
  const view = scroller.getBoundingClientRect()
  const first = items[firstEndingBelow(items, view.top)]
  if (first === undefined) return null
  if (first.getBoundingClientRect().top >= view.bottom - 1) return null
  const anchorItem = anchorElement(first, view)
  const keys = [keyOf(first)]
  for (let item = first.nextElementSibling; item !== null; item = item.nextElementSibling) {
    // The virtualizer hides entries that it has not measured yet.
    if (item.getBoundingClientRect().top >= view.bottom - 1 || isHidden(item)) break
    keys.push(keyOf(item))
  }
  const offsetPx = view.top - anchorItem.getBoundingClientRect().top
  // The focused entry may be next to a much later one. The entries between them are not in the document.
  return { ...lastRun(keys), anchor: { key: keyOf(anchorItem), offsetPx } }
}

/**
 * Returns the first entry that starts inside the viewport, whose position does not depend on an estimated height. If no
 * entry starts there, returns `first`.
 */
function anchorElement(first: Element, view: DOMRect): Element {
  const next = first.getBoundingClientRect().top < view.top ? first.nextElementSibling : null
  return next !== null && next.getBoundingClientRect().top < view.bottom ? next : first
}
