import { useImperativeHandle, useSyncExternalStore } from 'react'
import { endKey, entriesBetween, entryAt } from '../../connection/receive/message-buffer.ts'
import { initialRange, maxEntriesInView } from './rendered-range.ts'
import type { ListHandle, MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import { useListSelection } from './use-list-selection.ts'

const subscribeToResize = (listener: () => void) => {
  window.addEventListener('resize', listener)
  return () => window.removeEventListener('resize', listener)
}

/**
 * Renders only the newest entries, the current entry, and the entries at the ends of the selection. The room uses this
 * renderer in a flood while the user follows the end. Scrolling up switches to another renderer.
 */
export function NewestMessages({ list, currentKey, unreadDividerKey, mentionsUser, ref }: MessageListProps) {
  const count = useSyncExternalStore(subscribeToResize, maxEntriesInView)
  const selected = useListSelection()
  const { from } = initialRange(list, endKey(list), count)
  const outside = [currentKey, ...selected].flatMap((key) => (key === null || key >= from ? [] : [key]))
  const kept = [...new Set(outside)].toSorted((one, other) => one - other)
  const rendered = [...kept.map((key) => entryAt(list, key)), ...entriesBetween(list, from)]

  useImperativeHandle(ref, (): ListHandle => ({ scrollToAnchor: () => undefined }), [])

  return (
    <ol className="newest-messages" data-truncated={from > list.firstKey || undefined}>
      {rendered.map(
        (entry) =>
          entry !== undefined && (
            <li key={entry.key} {...entryAttributes(entry, unreadDividerKey, mentionsUser)}>
              <EntryContent entry={entry} previous={entryAt(list, entry.key - 1)} />
            </li>
          ),
      )}
    </ol>
  )
}
