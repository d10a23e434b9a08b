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
import { type ListHandle, marginAbovePx, type MessageListProps } from './list-geometry.ts'
import { entryAttributes, EntryContent } from '../entry/message-entry.tsx'
import { useSelectionInList } from './use-list-selection.ts'

type Drawn = Pick<MessageListProps, 'list' | 'focused' | 'lineAt' | 'namesReader'>

const DrawnContext = createContext<Drawn>({
  list: emptyMessageList,
  focused: null,
  lineAt: null,
  namesReader: () => false,
})

function VirtualEntry({ index, style, children, ref }: CustomItemComponentProps) {
  const { list, focused, lineAt, namesReader } = useContext(DrawnContext)
  const entry = entryAt(list, list.firstKey + index)
  if (entry === undefined) return null
  return (
    <li
      {...entryAttributes(entry, lineAt, namesReader)}
      ref={ref as Ref<HTMLLIElement>}
      // An entry is hidden until it is measured, and what is hidden cannot be focused.
      style={entry.key === focused ? { ...style, visibility: 'visible' } : style}
      aria-posinset={index + 1}
      aria-setsize={list.length}
    >
      {children}
    </li>
  )
}

/**
 * How many entries to draw. The virtualiser takes a change of the length for one at the end, or for one at the head
 * where it is told so, but never for both: when the oldest entries were let go, the new ones come a step later.
 */
function useLength(first: number, end: number) {
  const [drawnFirst, setDrawnFirst] = useState(first)
  const [drawnEnd, setDrawnEnd] = useState(end)
  const isTrimmed = drawnFirst !== first
  if (!isTrimmed && drawnEnd !== end) setDrawnEnd(end)
  useEffect(() => queueMicrotask(() => setDrawnFirst(first)), [first])
  return { isTrimmed, length: Math.max(0, (isTrimmed ? drawnEnd : end) - first) }
}

/** The list once it is long: only what is near the reader stands in the document. */
export function VirtualMessages({ list, focused, lineAt, namesReader, ref }: MessageListProps) {
  const handle = useRef<VirtualizerHandle>(null)
  const { isTrimmed, length } = useLength(list.firstKey, endKey(list))
  const selected = useSelectionInList(list)
  const kept = [focused, ...selected].flatMap((key) =>
    key === null || key < list.firstKey ? [] : [key - list.firstKey],
  )

  useImperativeHandle(
    ref,
    (): ListHandle => ({
      show({ key, offsetPx }) {
        handle.current?.scrollToIndex(Math.max(0, key - list.firstKey), { align: 'start', offset: offsetPx })
      },
    }),
    [list.firstKey],
  )

  const draw = (_: unknown, index: number): ReactElement => {
    const key = list.firstKey + index
    const entry = entryAt(list, key)
    return entry === undefined ? <></> : <EntryContent key={key} entry={entry} before={entryAt(list, key - 1)} />
  }

  return (
    <DrawnContext value={{ list, focused, lineAt, namesReader }}>
      <Virtualizer
        ref={handle}
        as="ol"
        item={VirtualEntry}
        startMargin={marginAbovePx}
        data={{ length }}
        shift={isTrimmed}
        keepMounted={kept}
      >
        {draw}
      </Virtualizer>
    </DrawnContext>
  )
}
