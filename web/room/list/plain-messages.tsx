import { memo, useEffect, useImperativeHandle, useRef, useState } from 'react'
import {
  endKey,
  entriesBetween,
  type Entry,
  entryAt,
  type MessageList,
} from '../../connection/receive/message-buffer.ts'
import { initialRange, extendByFrame, extendToNewest, maxPlainEntries, rowsPerChunk } from './rendered-range.ts'
import { entriesInWindow } from './entries-in-window.ts'
import { entryElement, type ListHandle, type MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import type { MentionMatcher } from '../entry/mentions.ts'
import { type Anchor, useReadingMemory } from '../reading/reading-memory.ts'

/** Where entries come fast, what comes is drawn with them; in between only if they stay away. */
const highRateDelayMs = 200

interface RowsProps {
  entries: readonly Entry[]
  previous: Entry | undefined
  unreadLineKey: number | null
  mentionsUser: MentionMatcher
}

const areRowsEqual = (one: RowsProps, other: RowsProps) =>
  one.previous === other.previous &&
  one.unreadLineKey === other.unreadLineKey &&
  one.mentionsUser === other.mentionsUser &&
  one.entries.length === other.entries.length &&
  one.entries.every((entry, index) => entry === other.entries[index])

/** A few entries that are drawn anew together: one more message must not cost a look at two thousand. */
const Rows = memo(function Rows({ entries, previous, unreadLineKey, mentionsUser }: RowsProps) {
  return entries.map((entry, index) => (
    <li key={entry.key} {...entryAttributes(entry, unreadLineKey, mentionsUser)}>
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
    before: entryAt(list, chunk.from - 1),
  }))
}

/** The list as long as it is not too long: every entry stands in the document, where it is found, copied and printed. */
export function PlainMessages({
  list,
  focusedKey,
  unreadLineKey,
  mentionsUser,
  isPrinting,
  isRateHigh,
  ref,
}: MessageListProps) {
  const memory = useReadingMemory()
  const ol = useRef<HTMLOListElement>(null)
  const [drawn, setDrawn] = useState(() =>
    initialRange(list, memory.reading.get().isFollowing ? endKey(list) : memory.anchor.get().key, entriesInWindow()),
  )
  const { from, to, isComplete } = isPrinting ? extendByFrame(list, drawn, true) : extendToNewest(list, drawn)
  // Whoever walks to what is not drawn yet shall not wait for all that lies between.
  const [walkedTo, setWalkedTo] = useState(focusedKey)
  if (walkedTo !== focusedKey) {
    setWalkedTo(focusedKey)
    if (focusedKey !== null && (focusedKey < from || focusedKey >= to)) {
      setDrawn(initialRange(list, focusedKey, entriesInWindow()))
    }
  }

  useEffect(() => {
    if (isComplete) return
    const fillIn = () => setDrawn(extendByFrame(list, { from, to }, false))
    if (isRateHigh) {
      const timer = window.setTimeout(fillIn, highRateDelayMs)
      return () => window.clearTimeout(timer)
    }
    const frame = requestAnimationFrame(fillIn)
    return () => cancelAnimationFrame(frame)
  }, [isComplete, from, to, list, isRateHigh])

  useImperativeHandle(ref, (): ListHandle => {
    function scrollToAnchor({ key, offsetPx }: Anchor) {
      const view = ol.current?.parentElement
      const item = entryElement(ol.current, key)
      if (view === null || view === undefined || item === null) return
      const distancePx = item.getBoundingClientRect().top - view.getBoundingClientRect().top + offsetPx
      if (Math.abs(distancePx) >= 1) view.scrollBy(0, distancePx)
    }
    return { scrollToAnchor, restoreAnchor: scrollToAnchor }
  }, [])

  const isTruncated = from > list.firstKey || undefined
  const chunks = chunksOf(list, from, to).map(({ from, to, entries, before }) => (
    <Rows
      key={Math.floor(from / rowsPerChunk)}
      entries={entries}
      previous={before}
      unreadLineKey={unreadLineKey !== null && unreadLineKey >= from && unreadLineKey < to ? unreadLineKey : null}
      mentionsUser={mentionsUser}
    />
  ))

  // On paper many short lists look like one, and are built in a tenth of the time: Chromium looks from each new entry
  // through all that follow in its list.
  if (isPrinting && list.length > maxPlainEntries) {
    return chunks.map((rows, index) => (
      <ol key={rows.key} className="plain-messages" data-cut={index === 0 ? isTruncated : undefined}>
        {rows}
      </ol>
    ))
  }
  return (
    <ol ref={ol} className="plain-messages" data-cut={isTruncated}>
      {chunks}
    </ol>
  )
}
