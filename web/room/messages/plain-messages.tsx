import { useImperativeHandle, useRef } from 'react'
import type { ListHandle, MessageListProps } from './list-geometry.ts'
import { EntryContent, entryLook, entryNumber } from './message-entry.tsx'

/** Should the virtualised list be late to arrive, the oldest entries wait: a document with too many is slow. */
const mostEntries = 250

/** The list while it is short: every entry stands in the document. */
export function PlainMessages({ list, ref }: MessageListProps) {
  const ol = useRef<HTMLOListElement>(null)
  const from = Math.max(0, list.length - mostEntries)

  useImperativeHandle(
    ref,
    (): ListHandle => ({
      show({ index, offsetPx }) {
        const item = ol.current?.querySelector<HTMLElement>(`li[data-index="${index}"]`)
        if (ol.current === null || item === null || item === undefined) return
        ol.current.parentElement?.scrollTo({ top: ol.current.offsetTop + item.offsetTop + offsetPx })
      },
    }),
    [],
  )

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
