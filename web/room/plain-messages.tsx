import { useImperativeHandle, useRef } from 'react'
import type { ListGeometry, MessageListProps } from './list-geometry.ts'
import { EntryContent, entryLook, entryNumber } from './message-entry.tsx'

/** Should the virtualised list be late to arrive, the oldest entries wait: a document with too many is slow. */
const mostEntries = 250

/** Index of the first child whose lower edge lies below `yPx`. */
function childAt(list: HTMLElement, yPx: number): number {
  let low = 0
  let high = list.children.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    const child = list.children[middle]
    if (!(child instanceof HTMLElement)) break
    if (child.offsetTop + child.offsetHeight > yPx) high = middle
    else low = middle + 1
  }
  return low
}

/** The list while it is short: every entry stands in the document. */
export function PlainMessages({ list, ref }: MessageListProps) {
  const ol = useRef<HTMLOListElement>(null)
  const from = Math.max(0, list.length - mostEntries)

  useImperativeHandle(ref, (): ListGeometry => {
    const scroller = () => ol.current?.parentElement ?? null
    const child = (index: number) => ol.current?.children[index - from] as HTMLElement | undefined
    return {
      top() {
        if (ol.current === null) return { index: 0, offsetPx: 0 }
        const scrollTop = scroller()?.scrollTop ?? 0
        const index = from + childAt(ol.current, scrollTop)
        return { index, offsetPx: scrollTop - (child(index)?.offsetTop ?? 0) }
      },
      lastVisible() {
        const view = scroller()
        if (ol.current === null || view === null) return 0
        return from + childAt(ol.current, view.scrollTop + view.clientHeight - 1)
      },
      show({ index, offsetPx }) {
        scroller()?.scrollTo({ top: (child(index)?.offsetTop ?? 0) + offsetPx })
      },
    }
  }, [from])

  return (
    <ol ref={ol} className="relative">
      {list.entries.slice(from, list.length).map((entry, offset) => (
        <li
          key={entry.key}
          value={entryNumber(entry)}
          data-index={from + offset}
          tabIndex={-1}
          className={entryLook(entry)}
        >
          <EntryContent entry={entry} />
        </li>
      ))}
    </ol>
  )
}
