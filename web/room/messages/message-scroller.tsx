import { createElement, useRef } from 'react'
import type { MessageList } from '../../connection/receiving/message-buffer.ts'
import { ArrowDownIcon } from '../../ui/icons.tsx'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import type { ListHandle } from './list-geometry.ts'
import { PlaceKeeper } from './place-keeper.tsx'
import { unseenMessages } from './reading.ts'
import { useListWalk } from './use-list-walk.ts'
import { useMessageDrawing } from './use-message-drawing.ts'
import { useReading } from './use-reading.ts'

const floatingLook =
  'absolute bottom-3 left-1/2 flex min-h-11 -translate-x-1/2 items-center gap-2 rounded-full px-4 text-sm font-semibold whitespace-nowrap shadow-high'

interface MessageScrollerProps {
  list: MessageList
  titleId: string
}

export function MessageScroller({ list, titleId }: MessageScrollerProps) {
  const scroller = useRef<HTMLElement>(null)
  const handle = useRef<ListHandle>(null)
  const { name, drawing } = useMessageDrawing(list.length)
  const { reading, look, goToEnd } = useReading(scroller, list.length)
  const { focused, setFocused, walk, leave } = useListWalk(scroller, list.length)
  const unseen = unseenMessages(reading, list.entries, list.length)

  const showFirstUnseen = () => {
    handle.current?.show({ index: reading.seen, offsetPx: 0 })
    setFocused(reading.seen)
  }

  return (
    <div className="relative min-h-0 grow">
      <ScrollRegion
        ref={scroller}
        aria-labelledby={titleId}
        onScroll={look}
        onKeyDown={walk}
        onBlur={leave}
        data-digits={String(list.length).length}
        className="message-scroller"
      >
        {createElement(drawing, { ref: handle, list, focused })}
      </ScrollRegion>
      <PlaceKeeper key={name} scroller={scroller} list={handle} goToEnd={goToEnd} />
      {unseen > 0 && (
        <button
          type="button"
          onClick={showFirstUnseen}
          className={`${floatingLook} bg-accent text-on-accent hover:bg-accent-strong`}
        >
          {unseen} new {unseen === 1 ? 'message' : 'messages'}
          <ArrowDownIcon className="size-4" />
        </button>
      )}
      {unseen === 0 && !reading.stuck && (
        <button
          type="button"
          aria-label="Go to the end"
          onClick={goToEnd}
          className={`${floatingLook} w-11 justify-center border border-line bg-surface px-0 text-ink-soft hover:text-ink`}
        >
          <ArrowDownIcon />
        </button>
      )}
    </div>
  )
}
