import type { Ref } from 'react'
import type { MessageList } from '../../connection/receiving/message-buffer.ts'
import type { Anchor } from './reading.ts'

/** What a component that draws the messages can be asked to do. */
export interface ListHandle {
  show(anchor: Anchor): void
}

export interface MessageListProps {
  list: MessageList
  /** The entry that has the keyboard's focus stays in the document, however far it is scrolled away. */
  focused: number | null
  ref: Ref<ListHandle>
}

/** The room that the list keeps above its first entry; `.message-scroller::before` has this height. */
export const marginAbovePx = 8

interface DrawnEntry {
  index: number
  topPx: number
  bottomPx: number
}

/** The entries that stand in the document and can be seen, with their places relative to the list's upper edge. */
function visibleEntries(scroller: HTMLElement): DrawnEntry[] {
  const view = scroller.getBoundingClientRect()
  return [...scroller.querySelectorAll<HTMLElement>('li[data-index]')]
    .map((item) => {
      const { top, bottom } = item.getBoundingClientRect()
      return { index: Number(item.dataset['index']), topPx: top - view.top, bottomPx: bottom - view.top }
    })
    .filter(({ topPx, bottomPx }) => bottomPx > 0 && topPx < view.height - 1)
    .toSorted((one, other) => one.index - other.index)
}

export function topAnchor(scroller: HTMLElement): Anchor {
  const first = visibleEntries(scroller)[0]
  return first === undefined ? { index: 0, offsetPx: 0 } : { index: first.index, offsetPx: -first.topPx }
}

export function lastVisible(scroller: HTMLElement): number {
  return visibleEntries(scroller).at(-1)?.index ?? 0
}
