import { useImperativeHandle, useSyncExternalStore } from 'react'
import { endKey, entriesBetween, entryAt } from '../../connection/receive/message-buffer.ts'
import { initialRange } from './rendered-range.ts'
import { entriesInWindow } from './entries-in-window.ts'
import type { ListHandle, MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import { useListSelection } from './use-list-selection.ts'

const subscribeToSize = (listener: () => void) => {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/**
 * The list in a flood, for one who is at its end: what stands there is gone before it could be looked for. Whoever scrolls
 * up is given another list.
 */
export function NewestMessages({ list, focusedKey, unreadLineKey, mentionsUser, ref }: MessageListProps) {
  const count = useSyncExternalStore(subscribeToSize, entriesInWindow)
  const selected = useListSelection(list)
  const { from } = initialRange(list, endKey(list), count)
  const outside = [focusedKey, ...selected].flatMap((key) => (key === null || key >= from ? [] : [key]))
  const kept = [...new Set(outside)].toSorted((one, other) => one - other)
  const drawn = [...kept.map((key) => entryAt(list, key)), ...entriesBetween(list, from)]

  useImperativeHandle(ref, (): ListHandle => ({ scrollToAnchor: () => undefined }), [])

  return (
    <ol className="newest-messages" data-cut={from > list.firstKey || undefined}>
      {drawn.map(
        (entry) =>
          entry !== undefined && (
            <li key={entry.key} {...entryAttributes(entry, unreadLineKey, mentionsUser)}>
              <EntryContent entry={entry} previous={entryAt(list, entry.key - 1)} />
            </li>
          ),
      )}
    </ol>
  )
}
