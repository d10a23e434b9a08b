import { useEffect, useRef } from 'react'
import { useMessages } from '../../connection/hooks.ts'
import { endKey, entriesBetween } from '../../connection/receive/message-buffer.ts'
import { announcement, collect, dueAtMs, type Pending } from './announcer.ts'

/**
 * Tells new messages to people who listen. The list itself is no live region: it would be read again whenever it is
 * drawn anew. The words stand in a closed shadow tree, where assistive technology hears them and nothing else meets
 * a message twice: not the search in the page, not what is selected and copied.
 */
export function LiveRegion() {
  const list = useMessages()
  const host = useRef<HTMLDivElement>(null)
  const voice = useRef<ShadowRoot | null>(null)
  const heard = useRef<number | null>(null)
  const pending = useRef<Pending | null>(null)
  const timer = useRef<number | undefined>(undefined)

  useEffect(() => {
    voice.current ??= host.current?.attachShadow({ mode: 'closed' }) ?? null
  }, [])

  useEffect(() => {
    // Whatever was said before this screen was opened is there to be read, not told.
    const end = endKey(list)
    const from = heard.current ?? end
    heard.current = end
    const said = entriesBetween(list, from).flatMap((entry) =>
      entry.kind === 'message' && entry.isLive ? [entry.message] : [],
    )
    if (said.length === 0) return
    pending.current = collect(pending.current, said, Date.now())
    if (pending.current === null) return
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(
      () => {
        if (pending.current === null) return
        const line = document.createElement('p')
        line.textContent = announcement(pending.current)
        pending.current = null
        voice.current?.replaceChildren(line)
      },
      dueAtMs(pending.current) - Date.now(),
    )
  }, [list])

  useEffect(() => () => window.clearTimeout(timer.current), [])

  return <div ref={host} role="log" aria-label="What is being said" className="sr-only" />
}
