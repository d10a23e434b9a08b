import { createContext, type ReactElement, type Ref, useContext, useImperativeHandle, useRef } from 'react'
import { type CustomItemComponentProps, Virtualizer, type VirtualizerHandle } from 'virtua'
import { emptyMessageList, type MessageList } from '../../connection/receiving/message-buffer.ts'
import { type ListHandle, marginAbovePx, type MessageListProps } from './list-geometry.ts'
import { EntryContent, entryLook, entryNumber } from './message-entry.tsx'

interface Drawn {
  list: MessageList
  focused: number | null
}

const DrawnContext = createContext<Drawn>({ list: emptyMessageList, focused: null })

function VirtualEntry({ index, style, children, ref }: CustomItemComponentProps) {
  const { list, focused } = useContext(DrawnContext)
  const entry = list.entries[index]
  if (entry === undefined) return null
  return (
    <li
      ref={ref as Ref<HTMLLIElement>}
      // An entry is hidden until it is measured, and what is hidden cannot be focused.
      style={index === focused ? { ...style, visibility: 'visible' } : style}
      value={entryNumber(entry)}
      data-index={index}
      tabIndex={-1}
      aria-posinset={index + 1}
      aria-setsize={list.length}
      className={entryLook(entry)}
    >
      {children}
    </li>
  )
}

/** The list once it is long: only what is near the reader stands in the document. */
export function VirtualMessages({ list, focused, ref }: MessageListProps) {
  const handle = useRef<VirtualizerHandle>(null)

  useImperativeHandle(
    ref,
    (): ListHandle => ({
      show({ index, offsetPx }) {
        handle.current?.scrollToIndex(index, { align: 'start', offset: offsetPx })
      },
    }),
    [],
  )

  const draw = (_: unknown, index: number): ReactElement => {
    const entry = list.entries[index]
    return entry === undefined ? <></> : <EntryContent key={entry.key} entry={entry} />
  }

  return (
    <DrawnContext value={{ list, focused }}>
      <Virtualizer
        ref={handle}
        as="ol"
        item={VirtualEntry}
        startMargin={marginAbovePx}
        data={{ length: list.length }}
        keepMounted={focused === null ? [] : [focused]}
      >
        {draw}
      </Virtualizer>
    </DrawnContext>
  )
}
