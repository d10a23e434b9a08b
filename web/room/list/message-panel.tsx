import { useCallback, useEffect, useId, useState } from 'react'
import { useMessages } from '../../connection/hooks.ts'
import { endKey } from '../../connection/receive/message-buffer.ts'
import { BubbleIcon } from '../../ui/icons.tsx'
import { createOnDemand } from '../../ui/on-demand.ts'
import { ModerationPart } from '../moderation/moderation-part.tsx'
import { MissingCodeNotice } from './missing-code-notice.tsx'

/**
 * Code that renders messages. A page starts without messages, so the code is loaded with the first message, when the
 * user starts to type, or after a delay.
 */
const code = createOnDemand(() => import('./message-scroller.tsx'))
const preloadAfterMs = 3_000

export function MessagePanel() {
  const list = useMessages()
  const [openedAtKey] = useState(() => endKey(list))
  const titleId = useId()
  const [liveRegion, setLiveRegion] = useState<HTMLElement | null>(null)
  const isEmpty = list.length === 0
  const loaded = code.useOnDemand(!isEmpty)
  /** Element that had the focus when the search was opened; `null` while the search is closed. */
  const [searchOpener, setSearchOpener] = useState<Element | null>(null)
  const openSearch = useCallback(() => setSearchOpener(document.activeElement), [])
  const closeSearch = useCallback(() => setSearchOpener(null), [])

  useEffect(() => {
    const timer = window.setTimeout(code.load, preloadAfterMs)
    window.addEventListener('input', code.load)
    return () => {
      window.clearTimeout(timer)
      window.removeEventListener('input', code.load)
    }
  }, [])

  return (
    <section className="relative flex min-h-40 shrink-0 grow flex-col short:min-h-32">
      <h2 id={titleId} className="message-title panel-title">
        Messeges
      </h2>
      {loaded !== null && searchOpener === null && <loaded.MessageTools hasMessages={!isEmpty} onSearch={openSearch} />}
      <MissingCodeNotice />
      <ModerationPart name="AboveList" />
      {isEmpty || loaded === null ? (
        <div className="grid grow place-content-center justify-items-center gap-3 p-4 text-ink-soft">
          <BubbleIcon className="size-10 text-accent short:hidden" />
          <p>{'Fetching ... '}</p>
        </div>
      ) : (
        <loaded.MessageScroller
          list={list}
          openedAtKey={openedAtKey}
          titleId={titleId}
          liveRegion={liveRegion}
          searchOpener={searchOpener}
          openSearch={openSearch}
          closeSearch={closeSearch}
        />
      )}
      <div ref={setLiveRegion} role="log" aria-label="New messages" className="sr-only" />
    </section>
  )
}
