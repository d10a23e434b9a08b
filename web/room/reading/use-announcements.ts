import { useEffect, useRef } from 'react'
import { endKey, entriesBetween, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import { announcementText, collectMessages, dueAtMs, type PendingAnnouncement } from './announcer.ts'

/**
 * Announces live messages from `openedAtKey` on to screen readers, in an empty live region `host`. The list itself is
 * not a live region, because a screen reader would repeat it after each render. The text is in a closed shadow tree:
 * screen readers announce it, but find-in-page, selection and copy do not encounter a message twice.
 */
export function useAnnouncements(host: HTMLElement | null, list: MessageList, openedAtKey: number) {
  const shadowRoot = useRef<ShadowRoot | null>(null)
  const processedEnd = useRef(openedAtKey)
  const pending = useRef<PendingAnnouncement | null>(null)
  const announcedKey = useRef(-1)
  const latestList = useRef(list)
  const timer = useRef<number | undefined>(undefined)

  useEffect(() => {
    shadowRoot.current ??= host?.attachShadow({ mode: 'closed' }) ?? null
  }, [host])

  useEffect(() => {
    const from = processedEnd.current
    processedEnd.current = endKey(list)
    latestList.current = list
    const announced = entryAt(list, announcedKey.current)
    if (announced?.kind === 'message' && announced.isRemoved) shadowRoot.current?.replaceChildren()
    const newEntries = entriesBetween(list, from).flatMap((entry) =>
      entry.kind === 'message' && entry.isLive ? [entry] : [],
    )
    if (newEntries.length === 0) return
    pending.current = collectMessages(pending.current, newEntries, Date.now())
    if (pending.current === null) return
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(
      () => {
        if (pending.current === null) return
        const line = document.createElement('p')
        line.textContent = announcementText(pending.current, latestList.current)
        announcedKey.current = pending.current.lastKey
        pending.current = null
        shadowRoot.current?.replaceChildren(line)
      },
      dueAtMs(pending.current) - Date.now(),
    )
  }, [list])

  useEffect(() => () => window.clearTimeout(timer.current), [])
}
