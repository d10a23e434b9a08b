import type { Readable } from '../../connection/cell.ts'
import { endKey, entriesBetween, entryAt, type MessageList } from '../../connection/receive/message-buffer.ts'
import type { MentionMatcher } from '../entry/mentions.ts'
import { announcementText, collectMessages, dueAtMs, type PendingAnnouncement } from '../reading/announcer.ts'

/** Messages that the user wants to be notified of. */
export type NotificationChoice = 'mentions' | 'all'

export interface Notifier {
  readonly choice: NotificationChoice
  readonly stop: () => void
}

export interface NotifierOptions {
  choice: NotificationChoice
  messages: Readable<MessageList>
  mentionMatcher: () => MentionMatcher
  isHidden: () => boolean
  show: (text: string) => void
  /** Closes the notification that was shown last. */
  close: () => void
}

/** Creates a notifier. While the page is hidden, it shows one notification for chosen messages that arrive in quick succession. */
export function createNotifier({ choice, messages, mentionMatcher, isHidden, show, close }: NotifierOptions): Notifier {
  let processedEnd = endKey(messages.get())
  let pending: PendingAnnouncement | null = null
  /** Key of the message whose text is shown; -1 if there is none. */
  let shownKey = -1
  let timer: ReturnType<typeof setTimeout> | undefined

  function flush() {
    if (pending === null) return
    const text = isHidden() ? announcementText(pending, messages.get()) : null
    if (text !== null) {
      show(text)
      shownKey = pending.messageCount === 1 ? pending.lastKey : -1
    }
    pending = null
  }

  const unsubscribe = messages.subscribe(() => {
    const list = messages.get()
    const from = processedEnd
    processedEnd = endKey(list)
    const shown = entryAt(list, shownKey)
    if (shown?.kind === 'message' && shown.isRemoved) {
      close()
      shownKey = -1
    }
    if (!isHidden()) return
    const mentionsUser = mentionMatcher()
    const wanted = entriesBetween(list, from).flatMap((entry) => {
      if (entry.kind !== 'message' || entry.isOwn) return []
      return choice === 'all' || mentionsUser(entry.message.message) ? [entry] : []
    })
    if (wanted.length === 0) return
    pending = collectMessages(pending, wanted, Date.now())
    if (pending === null) return
    clearTimeout(timer)
    timer = setTimeout(flush, dueAtMs(pending) - Date.now())
  })

  return {
    choice,
    stop() {
      unsubscribe()
      clearTimeout(timer)
    },
  }
}
