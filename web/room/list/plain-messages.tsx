import { memo, useEffect, useImperativeHandle, useRef, useState } from 'react'
import {
  endKey,
  entriesBetween,
  type Entry,
  entryAt,
  type MessageList,
} from '../../connection/receive/message-buffer.ts'
import { drawnAtFirst, drawnNext, drawnOf, plainUpTo, rowsPerChunk } from './rendered-range.ts'
import { entriesInWindow } from './entries-in-window.ts'
import { entryElement, type ListHandle, type MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import type { MessageMatcher } from '../entry/mentions.ts'
import { type Anchor, useReadingMemory } from '../reading/reading-memory.ts'

/** Where entries come fast, what comes is drawn with them; in between only if they stay away. */
const hurriedPauseMs = 200

interface RowsProps {
  entries: readonly Entry[]
  before: Entry | undefined
  lineAt: number | null
  namesReader: MessageMatcher
}

const sameRows = (one: RowsProps, other: RowsProps) =>
  one.before === other.before &&
  one.lineAt === other.lineAt &&
  one.namesReader === other.namesReader &&
  one.entries.length === other.entries.length &&
  one.entries.every((entry, index) => entry === other.entries[index])

/** A few entries that are drawn anew together: one more message must not cost a look at two thousand. */
const Rows = memo(function Rows({ entries, before, lineAt, namesReader }: RowsProps) {
  return entries.map((entry, index) => (
    <li key={entry.key} {...entryAttributes(entry, lineAt, namesReader)}>
      <EntryContent entry={entry} before={index === 0 ? before : entries[index - 1]} />
    </li>
  ))
}, sameRows)

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
export function PlainMessages({ list, focused, lineAt, namesReader, printing, hurried, ref }: MessageListProps) {
  const memory = useReadingMemory()
  const ol = useRef<HTMLOListElement>(null)
  const [drawn, setDrawn] = useState(() =>
    drawnAtFirst(list, memory.reading.get().following ? endKey(list) : memory.anchor.get().key, entriesInWindow()),
  )
  const { from, to, isWhole } = printing ? drawnNext(list, drawn, true) : drawnOf(list, drawn)
  // Whoever walks to what is not drawn yet shall not wait for all that lies between.
  const [walkedTo, setWalkedTo] = useState(focused)
  if (walkedTo !== focused) {
    setWalkedTo(focused)
    if (focused !== null && (focused < from || focused >= to)) {
      setDrawn(drawnAtFirst(list, focused, entriesInWindow()))
    }
  }

  useEffect(() => {
    if (isWhole) return
    const fillIn = () => setDrawn(drawnNext(list, { from, to }, false))
    if (hurried) {
      const timer = window.setTimeout(fillIn, hurriedPauseMs)
      return () => window.clearTimeout(timer)
    }
    const frame = requestAnimationFrame(fillIn)
    return () => cancelAnimationFrame(frame)
  }, [isWhole, from, to, list, hurried])

  useImperativeHandle(ref, (): ListHandle => {
    function show({ key, offsetPx }: Anchor) {
      const view = ol.current?.parentElement
      const item = entryElement(ol.current, key)
      if (view === null || view === undefined || item === null) return
      const byPx = item.getBoundingClientRect().top - view.getBoundingClientRect().top + offsetPx
      if (Math.abs(byPx) >= 1) view.scrollBy(0, byPx)
    }
    return { show, hold: show }
  }, [])

  const isCut = from > list.firstKey || undefined
  const chunks = chunksOf(list, from, to).map(({ from, to, entries, before }) => (
    <Rows
      key={Math.floor(from / rowsPerChunk)}
      entries={entries}
      before={before}
      lineAt={lineAt !== null && lineAt >= from && lineAt < to ? lineAt : null}
      namesReader={namesReader}
    />
  ))

  // On paper many short lists look like one, and are built in a tenth of the time: Chromium looks from each new entry
  // through all that follow in its list.
  if (printing && list.length > plainUpTo) {
    return chunks.map((rows, index) => (
      <ol key={rows.key} className="plain-messages" data-cut={index === 0 ? isCut : undefined}>
        {rows}
      </ol>
    ))
  }
  return (
    <ol ref={ol} className="plain-messages" data-cut={isCut}>
      {chunks}
    </ol>
  )
}
