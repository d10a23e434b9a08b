import { useEffect, useState } from 'react'
import { outboxRows } from '../../connection/send/outbox-rows.ts'
import { isPending, type OutboxMessage, type Sender, wasEmitted } from '../../connection/send/sender.ts'
import { oneLine } from '../entry/one-line.ts'
import { texts } from './texts.ts'

/**
 * Time for which the news of the outbox must stay the same before the page announces them. The page does not announce
 * rows that disappear sooner.
 */
const announceAfterMs = 1_000
const excerptLength = 40

export const excerpt = (text: string) =>
  oneLine(text.length > excerptLength ? `${text.slice(0, excerptLength)}…` : text)

export function rowStatusText(message: OutboxMessage, canSend: boolean): string {
  switch (message.state.kind) {
    case 'queued':
      return canSend ? texts.queued : texts.noConnection
    case 'sending':
      return canSend ? texts.sending : texts.noConnection
    case 'held':
      return wasEmitted(message) ? texts.heldMaybeStored : texts.held
    case 'paused':
    case 'refused':
      return message.state.reason
  }
}

/** State of the announcements to screen readers about the outbox. */
interface Announcement {
  /** Latest news of the outbox. */
  readonly news: string | null
  /** Announced text; '' if it is not about the latest news. */
  readonly text: string
  /** Whether an unsent message was announced, and the page has not announced since then that no message waits. */
  readonly hasWaiting: boolean
}

export const noAnnouncement: Announcement = { news: null, text: '', hasWaiting: false }

type OutboxState = Pick<Sender, 'outbox' | 'fieldMessageId'>

/**
 * Returns a text about the newest rejected row, or else the newest row, with the number of other messages. Returns '' if
 * the only message is in the field, which has its own status line. Returns `null` if the outbox is empty.
 */
export function outboxNews({ outbox, fieldMessageId }: OutboxState, canSend: boolean): string | null {
  const rows = outboxRows({ outbox, fieldMessageId })
  const last = rows.findLast(({ state }) => state.kind === 'refused') ?? rows.at(-1)
  if (last === undefined) return outbox.length === 0 ? null : ''
  const text = excerpt(last.payload.message)
  if (isPending(last)) return texts.announce.waiting(text, outbox.length - 1)
  const status = rowStatusText(last, canSend)
  const unsent = rows.filter((row) => !isPending(row))
  return texts.announce.notSent(text, unsent.length - 1, status === texts.held ? '' : status)
}

export function nextAnnouncement(previous: Announcement, news: string | null): Announcement {
  if (news !== null) return { news, text: news, hasWaiting: previous.hasWaiting || news !== '' }
  return { news, text: previous.hasWaiting ? texts.announce.noneWaiting : '', hasWaiting: false }
}

/** Returns the screen reader announcement about the outbox; '' from a change of the news until their announcement. */
export function useOutboxAnnouncement({ outbox, fieldMessageId }: OutboxState, canSend: boolean): string {
  const [announcement, setAnnouncement] = useState(noAnnouncement)
  const news = outboxNews({ outbox, fieldMessageId }, canSend)
  if (announcement.news !== news) setAnnouncement({ ...announcement, news, text: '' })
  useEffect(() => {
    const timer = window.setTimeout(
      () => setAnnouncement((previous) => nextAnnouncement(previous, news)),
      announceAfterMs,
    )
    return () => window.clearTimeout(timer)
  }, [news])
  return announcement.text
}
