import {
  createContext,
  type ReactElement,
  type Ref,
  useContext,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { type CustomItemComponentProps, Virtualizer, type VirtualizerHandle } from 'virtua'
import { emptyMessageList, endKey, entryAt } from '../../connection/receive/message-buffer.ts'
import { type ListHandle, listMarginPx, type MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import { useListSelection } from './use-list-selection.ts'

type ListContextValue = Pick<MessageListProps, 'list' | 'currentKey' | 'unreadDividerKey' | 'mentionsUser'>

const ListContext = createContext<ListContextValue>({
  list: emptyMessageList,
  currentKey: null,
  unreadDividerKey: null,
  mentionsUser: () => false,
})

function VirtualEntry({ index, style, children, ref }: CustomItemComponentProps) {
  const { list, currentKey, unreadDividerKey, mentionsUser } = useContext(ListContext)
  const entry = entryAt(list, list.firstKey + index)
  if (entry === undefined) return null
  return (
    <li
      {...entryAttributes(entry, unreadDividerKey, mentionsUser)}
      ref={ref as Ref<HTMLLIElement>}
      // The virtualizer hides an entry until it is measured, and hidden elements cannot be focused.
      style={entry.key === currentKey ? { ...style, visibility: 'visible' } : style}
      aria-posinset={index + 1}
      aria-setsize={list.length}
    >
      {children}
    </li>
  )
}

/**
 * Returns the number of entries to render, and whether the oldest entries were trimmed since the last render. The
 * virtualizer treats a change of the length as a change at the end, or at the start with `shift`, but never both. After the
 * list was trimmed, the hook therefore adds new entries one render later.
 */
function useVirtualLength(first: number, end: number) {
  const [renderedFirst, setRenderedFirst] = useState(first)
  const [renderedEnd, setRenderedEnd] = useState(end)
  const isTrimmed = renderedFirst !== first
  if (!isTrimmed && renderedEnd !== end) setRenderedEnd(end)
  useEffect(() => queueMicrotask(() => setRenderedFirst(first)), [first])
  return { isTrimmed, length: Math.max(0, (isTrimmed ? renderedEnd : end) - first) }
}

/**
 * Renders only the entries near the viewport, the current entry, and the entries at the ends of the selection. The room
 * uses this renderer for long lists.
 */
export function VirtualMessages({ list, currentKey, unreadDividerKey, mentionsUser, ref }: MessageListProps) {
  const handle = useRef<VirtualizerHandle>(null)
  const { isTrimmed, length } = useVirtualLength(list.firstKey, endKey(list))
  const selected = useListSelection()
  const kept = [currentKey, ...selected].flatMap((key) =>
    key === null || key < list.firstKey ? [] : [key - list.firstKey],
  )

  useImperativeHandle(
    ref,
    (): ListHandle => ({
      scrollToAnchor({ key, offsetPx }) {
        handle.current?.scrollToIndex(Math.max(0, key - list.firstKey), { align: 'start', offset: offsetPx })
      },
    }),
    [list.firstKey],
  )

  const renderEntry = (_: unknown, index: number): ReactElement => {
    const key = list.firstKey + index
    const entry = entryAt(list, key)
    return entry === undefined ? <></> : <EntryContent key={key} entry={entry} previous={entryAt(list, key - 1)} />
  }

  return (
    <ListContext value={{ list, currentKey, unreadDividerKey, mentionsUser }}>
      <Virtualizer
        ref={handle}
        as="ol"
        item={VirtualEntry}
        startMargin={listMarginPx}
        data={{ length }}
        shift={isTrimmed}
        keepMounted={kept}
      >
        {renderEntry}
      </Virtualizer>
    </ListContext>
  )
}
