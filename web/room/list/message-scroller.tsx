import { createElement, type MouseEvent, useDeferredValue, useMemo, useRef } from 'react'
import { useAnonymousName, useIdentity } from '../../connection/hooks.ts'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import type { ListHandle } from './list-geometry.ts'
import { matchName } from '../entry/mentions.ts'
import { PlaceKeeper } from '../reading/scroll-anchor.tsx'
import { awayFromEnd, unseenMessages } from '../reading/reading.ts'
import { ReadingBar } from '../reading/reading-bar.tsx'
import { useReadingMemory } from '../reading/reading-memory.ts'
import { useListWalk } from './use-list-keys.ts'
import { useMessageDrawing } from './use-list-renderer.ts'
import { usePrinting } from './use-printing.ts'
import { useReading } from '../reading/use-reading.ts'

/** Whether a message names the reader; while a name is typed, the list may lag behind the keys. */
function useNamesReader() {
  const identity = useIdentity()
  const anonymousName = useDeferredValue(useAnonymousName()[0])
  return useMemo(() => matchName(identity, anonymousName), [identity, anonymousName])
}

interface MessageScrollerProps {
  list: MessageList
  openedAt: number
  titleId: string
}

export function MessageScroller({ list, openedAt, titleId }: MessageScrollerProps) {
  const scroller = useRef<HTMLElement>(null)
  const handle = useRef<ListHandle>(null)
  const memory = useReadingMemory()
  const printing = usePrinting()
  const { reading, onScroll, look, goToEnd, goToLatest } = useReading(scroller, list, openedAt)
  const { name, drawing, hurried } = useMessageDrawing(list, { following: reading.following, printing })
  const { focused, setFocused, walk, leave } = useListWalk(scroller, list, name)
  const namesReader = useNamesReader()
  const unseen = unseenMessages(reading, list)
  const firstUnseen = reading.unseen[0]?.from ?? 0

  const showFirstUnread = () => {
    memory.reading.set(awayFromEnd(reading))
    const anchor = { key: firstUnseen, offsetPx: 0 }
    memory.anchor.set(anchor)
    handle.current?.show(anchor)
    setFocused(firstUnseen)
  }

  const showLatest = (event: MouseEvent) => {
    // The button goes away: whoever pressed it from the keyboard goes on in the list.
    if (document.activeElement === event.currentTarget) scroller.current?.focus({ preventScroll: true })
    goToLatest()
  }

  return (
    <>
      <div className="relative min-h-12 shrink-0 grow">
        <ScrollRegion
          ref={scroller}
          aria-labelledby={titleId}
          onScroll={onScroll}
          onKeyDown={walk}
          onBlur={leave}
          data-digits={String(list.receivedCount).length}
          data-drawing={name}
          className="message-scroller"
        >
          {createElement(drawing, {
            ref: handle,
            list,
            focused,
            lineAt: reading.line?.key ?? null,
            namesReader,
            printing,
            hurried,
          })}
        </ScrollRegion>
        <PlaceKeeper key={name} scroller={scroller} list={handle} goToEnd={goToEnd} look={look} />
      </div>
      {(unseen > 0 || !reading.following) && (
        <ReadingBar
          unseen={unseen}
          isAbove={reading.following || firstUnseen < memory.anchor.get().key}
          onFirstUnread={showFirstUnread}
          onLatest={showLatest}
        />
      )}
    </>
  )
}
