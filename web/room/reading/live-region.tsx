import { useEffect, useRef } from 'react'
import { useMessages } from '../../connection/hooks.ts'
import { endKey, entriesBetween } from '../../connection/receive/message-buffer.ts'
import { announcementText, collectMessages, dueAtMs, type PendingAnnouncement } from './announcer.ts'

/**
 * Announces new messages to screen readers. The list itself is not a live region, because a screen reader would repeat
 * it whenever it is rendered anew. The text is in a closed shadow tree: screen readers announce it, but find-in-page,
 * selection and copy do not encounter a message twice.
 */
export function LiveRegion() {
  const list = useMessages()
  const host = useRef<HTMLDivElement>(null)
  const shadowRoot = useRef<ShadowRoot | null>(null)
  const processedEnd = useRef<number | null>(null)
  const pending = useRef<PendingAnnouncement | null>(null)
  const timer = useRef<number | undefined>(undefined)

  useEffect(() => {
    shadowRoot.current ??= host.current?.attachShadow({ mode: 'closed' }) ?? null
  }, [])

  useEffect(() => {
    // Entries from before this screen was opened are not announced.
    const end = endKey(list)
    const from = processedEnd.current ?? end
    processedEnd.current = end
    const newMessages = entriesBetween(list, from).flatMap((entry) =>
      entry.kind === 'message' && entry.isLive ? [entry.message] : [],
    )
    if (newMessages.length === 0) return
    pending.current = collectMessages(pending.current, newMessages, Date.now())
    if (pending.current === null) return
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(
      () => {
        if (pending.current === null) return
        const line = document.createElement('p')
        line.textContent = announcementText(pending.current)
        pending.current = null
        shadowRoot.current?.replaceChildren(line)
      },
      dueAtMs(pending.current) - Date.now(),
    )
  }, [list])

  useEffect(() => () => window.clearTimeout(timer.current), [])

  return <div ref={host} role="log" aria-label="New messages" className="sr-only" />
}
