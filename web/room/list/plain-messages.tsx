import { memo, useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react'
import {
  endKey,
  entriesBetween,
  type Entry,
  entryAt,
  type MessageList,
} from '../../connection/receive/message-buffer.ts'
import { extendByFrame, extendToNewest, initialRange, jumpToNewest, maxEntriesInView } from './rendered-range.ts'
import {
  closestKey,
  entryElement,
  layOutEntriesInView,
  type ListHandle,
  type MessageListProps,
} from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import type { MentionMatcher } from '../entry/mentions.ts'
import { type Anchor, useReadingMemory } from '../reading/reading-memory.ts'

const rowsPerChunk = 50
/** Time without new entries after which the list renders older entries, so that a slow page shows new entries first. */
const quietMs = 200

interface RowsProps {
  entries: readonly Entry[]
  previous: Entry | undefined
  unreadDividerKey: number | null
  mentionsUser: MentionMatcher
}

const areRowsEqual = (one: RowsProps, other: RowsProps) =>
  (Object.keys(one) as (keyof RowsProps)[]).every((name) => name === 'entries' || one[name] === other[name]) &&
  one.entries.length === other.entries.length &&
  one.entries.every((entry, index) => entry === other.entries[index])

/** Chunk of entries that renders as one component, so that a new message does not make React compare thousands of entries. */
const Rows = memo(function Rows({ entries, previous, unreadDividerKey, mentionsUser }: RowsProps) {
  return entries.map((entry, index) => (
    <li key={entry.key} {...entryAttributes(entry, unreadDividerKey, mentionsUser)}>
      <EntryContent entry={entry} previous={index === 0 ? previous : entries[index - 1]} />
    </li>
  ))
}, areRowsEqual)

function chunksOf(list: MessageList, from: number, to: number) {
  const chunks: { from: number; to: number }[] = []
  for (let at = from; at < to;) {
    const end = Math.min(to, (Math.floor(at / rowsPerChunk) + 1) * rowsPerChunk)
    chunks.push({ from: at, to: end })
    at = end
  }
  return chunks.map((chunk) => ({
    ...chunk,
    entries: entriesBetween(list, chunk.from, chunk.to),
    previous: entryAt(list, chunk.from - 1),
  }))
}

/** Returns whether a text selection starts in an entry. The selected entries must stay in the document. */
function isSelected(): boolean {
  const selection = document.getSelection()
  return selection !== null && !selection.isCollapsed && closestKey(selection.anchorNode) !== null
}

/**
 * Renders every entry of a short list, so that find-in-page includes all of them. While the code of the virtual list is
 * loading, renders the newest part of a long list.
 */
export function PlainMessages({ list, currentKey, unreadDividerKey, mentionsUser, goToEnd, ref }: MessageListProps) {
  const memory = useReadingMemory()
  const ol = useRef<HTMLOListElement>(null)
  const [rendered, setRendered] = useState(() =>
    initialRange(list, memory.reading.get().isFollowing ? endKey(list) : memory.anchor.get().key, maxEntriesInView()),
  )
  // Setting the state keeps the jump when the user scrolls up before the next frame.
  const canJump = memory.reading.get().isFollowing && currentKey === null && !isSelected()
  const jumped = canJump ? jumpToNewest(list, rendered, maxEntriesInView()) : null
  const [jumpEnd, setJumpEnd] = useState<number | null>(null)
  if (jumped !== null) {
    setRendered(jumped)
    setJumpEnd(jumped.to)
  }
  // The list became shorter. Go to its end: otherwise the change of the scroll position would count as the user's.
  useLayoutEffect(() => {
    if (jumpEnd !== null) goToEnd()
  }, [jumpEnd, goToEnd])
  const { from, to, isComplete } = extendToNewest(list, rendered)
  // Render from the current entry if it is outside the rendered range, instead of extending the range up to it.
  const [lastCurrentKey, setLastCurrentKey] = useState(currentKey)
  if (lastCurrentKey !== currentKey) {
    setLastCurrentKey(currentKey)
    if (currentKey !== null && (currentKey < from || currentKey >= to)) {
      setRendered(initialRange(list, currentKey, maxEntriesInView()))
    }
  }

  const extendedList = useRef(list)
  useEffect(() => {
    if (isComplete) return
    const extend = () => {
      extendedList.current = list
      setRendered(extendByFrame(list, { from, to }))
    }
    if (to === endKey(list) && extendedList.current !== list) {
      const timer = window.setTimeout(extend, quietMs)
      return () => window.clearTimeout(timer)
    }
    const frame = requestAnimationFrame(extend)
    return () => cancelAnimationFrame(frame)
  }, [isComplete, from, to, list])

  const scrollToAnchor = useCallback(({ key, offsetPx }: Anchor) => {
    const view = ol.current?.parentElement
    const item = entryElement(ol.current, key)
    if (view === null || view === undefined || item === null) return
    do {
      const distancePx = item.getBoundingClientRect().top - view.getBoundingClientRect().top + offsetPx
      if (Math.abs(distancePx) >= 1) view.scrollBy(0, distancePx)
      // Near the end of the list, entries that became taller let the view scroll further.
    } while (layOutEntriesInView(view))
  }, [])
  useImperativeHandle(ref, (): ListHandle => ({ scrollToAnchor, restoreAnchor: scrollToAnchor }), [scrollToAnchor])

  // Entries were added above. A scroll event before the next frame would record the moved position as the user's.
  useLayoutEffect(() => {
    if (!memory.reading.get().isFollowing) scrollToAnchor(memory.anchor.get())
  }, [from, memory, scrollToAnchor])

  const isTruncated = from > list.firstKey || undefined
  const chunks = chunksOf(list, from, to).map(({ from, to, entries, previous }) => (
    <Rows
      key={Math.floor(from / rowsPerChunk)}
      entries={entries}
      previous={previous}
      unreadDividerKey={
        unreadDividerKey !== null && unreadDividerKey >= from && unreadDividerKey < to ? unreadDividerKey : null
      }
      mentionsUser={mentionsUser}
    />
  ))

  return (
    <ol ref={ol} className="plain-messages" data-truncated={isTruncated}>
      {chunks}
    </ol>
  )
}
