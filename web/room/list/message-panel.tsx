import { createElement, useEffect, useId, useState } from 'react'
import { useMessages } from '../../connection/hooks.ts'
import { endKey } from '../../connection/receive/message-buffer.ts'
import { BubbleIcon } from '../../ui/icons.tsx'
import { createOnDemand } from '../../ui/on-demand.ts'

/** The code that renders messages. A page starts without any, so it is loaded with the first one or after a delay. */
const scroller = createOnDemand(async () => (await import('./message-scroller.tsx')).MessageScroller)
const preloadAfterMs = 3_000

export function MessagePanel() {
  const list = useMessages()
  const [openedAtKey] = useState(() => endKey(list))
  const titleId = useId()
  const [liveRegion, setLiveRegion] = useState<HTMLElement | null>(null)
  const isEmpty = list.length === 0
  const Scroller = scroller.useOnDemand(!isEmpty)

  useEffect(() => {
    const timer = window.setTimeout(scroller.load, preloadAfterMs)
    return () => window.clearTimeout(timer)
  }, [])

  return (
    <section className="flex min-h-40 shrink-0 grow flex-col short:min-h-32">
      <h2 id={titleId} className="panel-title border-b border-line px-4 py-2.5 short:py-1.5 wide:px-6 wide:py-3.5">
        Messeges
      </h2>
      {isEmpty || Scroller === null ? (
        <div className="grid grow place-content-center justify-items-center gap-3 p-4 text-ink-soft">
          <BubbleIcon className="size-10 text-accent short:hidden" />
          <p>{'Fetching ... '}</p>
        </div>
      ) : (
        createElement(Scroller, { list, openedAtKey, titleId, liveRegion })
      )}
      <div ref={setLiveRegion} role="log" aria-label="New messages" className="sr-only" />
    </section>
  )
}
