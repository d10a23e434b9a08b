import { useId } from 'react'
import { useMessages } from '../../connection/hooks.ts'
import { BubbleIcon } from '../../ui/icons.tsx'
import { LiveRegion } from './live-region.tsx'
import { MessageScroller } from './message-scroller.tsx'

export function MessagePanel() {
  const list = useMessages()
  const titleId = useId()
  return (
    <section className="flex min-h-40 grow flex-col short:min-h-28">
      <h2 id={titleId} className="panel-title border-b border-line px-4 py-2.5 short:py-1.5 wide:px-6 wide:py-3.5">
        Messeges
      </h2>
      {list.length === 0 ? (
        <div className="grid grow place-content-center justify-items-center gap-3 p-4 text-ink-soft">
          <BubbleIcon className="size-10 text-accent short:hidden" />
          <p>{'Fetching ... '}</p>
        </div>
      ) : (
        <MessageScroller list={list} titleId={titleId} />
      )}
      <LiveRegion />
    </section>
  )
}
