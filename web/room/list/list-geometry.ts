import type { Ref } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { remPx } from '../../ui/rem-px.ts'
import { type Interval, lastRun } from '../reading/intervals.ts'
import type { MentionMatcher } from '../entry/mentions.ts'
import type { Anchor } from '../reading/reading-memory.ts'

/** Methods of a list renderer. */
export interface ListHandle {
  scrollToAnchor(anchor: Anchor): void
  /** Restores the position after entries above it changed their height. Renderers that do so themselves omit this method. */
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

/** Space below the text of an entry, as in the style sheet. */
const spaceBelowRem = 0.25

/** Entries on the screen, and the scroll position. */
export interface VisibleEntries extends Interval {
  /** Entries whose text does not continue below the viewport, and the first entry, which can be higher than the viewport. */
  readonly shown: Interval
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

const isHidden = (item: HTMLElement) => item.style.visibility === 'hidden'

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

function itemsInView(scroller: HTMLElement): HTMLElement[] {
  const items = scroller.querySelector('ol')?.children
  if (items === undefined) return []
  const { top, bottom } = scroller.getBoundingClientRect()
  const inView: HTMLElement[] = []
  let item = items[firstEndingBelow(items, top)] ?? null
  while (item instanceof HTMLElement && item.getBoundingClientRect().top < bottom - 1) {
    inView.push(item)
    item = item.nextElementSibling
  }
  return inView
}

/** Returns the height of an entry's content. Forces the layout of the content, even if the browser skips the entry. */
const contentHeightPx = (item: Element) => item.firstElementChild?.getBoundingClientRect().height ?? 0

/** Returns whether the browser skips the layout of an entry, so that the entry has an estimated height. */
const hasEstimatedHeight = (item: Element) => Math.abs(item.getBoundingClientRect().height - contentHeightPx(item)) >= 1

/**
 * Gives the entries inside the viewport their final height. Until the next frame, the browser uses estimated heights for
 * entries that were just added or scrolled to. Returns whether a height changed: then other entries may be in view.
 */
export function layOutEntriesInView(scroller: HTMLElement): boolean {
  const estimated = itemsInView(scroller).filter(hasEstimatedHeight)
  const heightsPx = estimated.map(contentHeightPx)
  for (const [index, item] of estimated.entries()) item.style.containIntrinsicBlockSize = `${heightsPx[index]}px`
  return estimated.some((item) => !hasEstimatedHeight(item))
}

/**
 * Returns the last run of consecutive entries that are rendered inside the viewport; `null` if there are none. Forces a
 * layout.
 */
export function visibleEntries(scroller: HTMLElement): VisibleEntries | null {
  while (layOutEntriesInView(scroller));
  const [first, ...others] = itemsInView(scroller)
  if (first === undefined) return null
  // The virtualizer hides entries that it has not measured yet.
  const firstHidden = others.findIndex(isHidden)
  const visible = [first, ...(firstHidden === -1 ? others : others.slice(0, firstHidden))]
  const view = scroller.getBoundingClientRect()
  const textEndPx = view.bottom + spaceBelowRem * remPx() + 1
  const shown = visible.filter((item) => item === first || item.getBoundingClientRect().bottom <= textEndPx)
  const anchorItem = anchorElement(first, view)
  const offsetPx = view.top - anchorItem.getBoundingClientRect().top
  // The focused entry may be next to a much later entry. The entries between them are not in the document.
  return {
    ...lastRun(visible.map(keyOf)),
    shown: lastRun(shown.map(keyOf)),
    anchor: { key: keyOf(anchorItem), offsetPx },
  }
}

/**
 * Returns the first entry that starts inside the viewport, whose position does not depend on an estimated height. If no
 * entry starts there, returns `first`.
 */
function anchorElement(first: Element, view: DOMRect): Element {
  const next = first.getBoundingClientRect().top < view.top ? first.nextElementSibling : null
  return next !== null && next.getBoundingClientRect().top < view.bottom ? next : first
}
