import { useImperativeHandle } from 'react'
import { entriesBetween, type Entry } from '../../connection/receive/message-buffer.ts'
import { entryParts } from '../entry/entry-text.ts'
import { noticeTexts } from '../entry/message-entry.tsx'
import { oneLine } from '../entry/one-line.ts'
import type { ListHandle, MessageListProps } from './list-geometry.ts'
import { printedRange } from './rendered-range.ts'

const entriesPerList = 50

function PrintedText({ entry }: { entry: Entry }) {
  if (entry.kind !== 'message') return noticeTexts[entry.kind]
  const { time, username, message } = entryParts(entry.message)
  return (
    <>
      {`[${time}] `}
      <bdi>{username}</bdi>
      {' : '}
      <bdi>{oneLine(message)}</bdi>
    </>
  )
}

/**
 * Renders a long list for a printer, with few elements per entry: the browser is blocked until all pages are laid out.
 * Many short lists look the same as a long one, and Chromium does not scan the rest of a long list for each entry.
 */
export function PrintedMessages({ list, ref }: MessageListProps) {
  const { from, to } = printedRange(list)
  const lists: (readonly Entry[])[] = []
  for (let at = from; at < to; at += entriesPerList) {
    lists.push(entriesBetween(list, at, Math.min(to, at + entriesPerList)))
  }

  useImperativeHandle(ref, (): ListHandle => ({ scrollToAnchor: () => undefined }), [])

  return lists.map((entries, index) => (
    <ol key={index} className="printed-messages" data-truncated={(index === 0 && from > list.firstKey) || undefined}>
      {entries.map((entry) => (
        <li key={entry.key} data-key={entry.key} value={entry.kind === 'message' ? entry.number : undefined}>
          <PrintedText entry={entry} />
        </li>
      ))}
    </ol>
  ))
}
