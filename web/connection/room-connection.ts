import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import type { ModerationAck, ModeratorAction } from '../../contract/moderation.ts'
import { type Cell, createCell, type Readable } from './cell.ts'
import { combineStatus, type ConnectionStatus, initialStatus } from './connection-status.ts'
import { createFramePublisher } from './receive/frame-publisher.ts'
import { createMessageBuffer, emptyMessageList, type MessageList } from './receive/message-buffer.ts'
import { createMessaging, type IdentityNotice } from './messaging.ts'
import { type Moderation, noModeration } from './moderation.ts'
import { createPresenceLink } from './presence/presence-link.ts'
import { watchPageLifecycle } from './link/page-lifecycle.ts'
import { browserPage, type Page } from './link/browser-page.ts'
import { initialSender, type OutboxMessage, type Sender } from './send/sender.ts'
import { defaultTiming, type Timing } from './timing.ts'

/** Identity of the user: `defaultIdentity`, or the name of the account. */
export type Identity = string

export interface RoomActions {
  /** Sets the text of the field. `isRevision` means that the user edited the message that the field shows. */
  readonly setDraft: (text: string, isRevision?: boolean) => void
  /** Sets the draft to text typed before hydration. */
  readonly adoptEarlyText: (text: string) => void
  /** Sends the draft. With `isAuthorConfirmed`, also sends a draft that was written under another account. */
  readonly send: (isAuthorConfirmed?: boolean) => void
  readonly sendHeld: (id: string) => void
  readonly takeBack: (id: string) => void
  readonly moveToField: (id: string) => void
  readonly dismiss: (id: string) => void
  readonly undoDismiss: (message: OutboxMessage) => void
  readonly logIn: (name: string, token: string) => void
  readonly retryNow: () => void
  /** Sends an action of a moderator. Resolves to a rejection with the code `unavailable` if no response arrives. */
  readonly moderate: (action: ModeratorAction) => Promise<ModerationAck>
}

export interface RoomConnection {
  readonly start: () => void
  readonly stop: () => void
  readonly status: Readable<ConnectionStatus>
  readonly messages: Readable<MessageList>
  readonly onlineUsers: Readable<readonly string[]>
  readonly sender: Readable<Sender>
  readonly identity: Readable<Identity>
  readonly identityNotice: Readable<IdentityNotice | null>
  readonly moderation: Readable<Moderation>
  readonly anonymousName: Cell<string>
  readonly actions: RoomActions
}

export interface RoomConnectionOptions {
  url?: string
  page?: Page
  timing?: Timing
}

const nameKey = 'chat-room.name'

/** Creates the two connections of the page. Opens no connection and does not access `window` before `start`. */
export function createRoomConnection(options: RoomConnectionOptions = {}): RoomConnection {
  const { url, page = browserPage, timing = defaultTiming } = options
  const status = createCell(initialStatus)
  const messages = createCell(emptyMessageList)
  const onlineUsers = createCell<readonly string[]>([])
  const sender = createCell(initialSender)
  const identity = createCell<Identity>(defaultIdentity)
  const identityNotice = createCell<IdentityNotice | null>(null)
  const anonymousName = createCell(initialAnonymousName)
  const moderation = createCell(noModeration)

  const log = createMessageBuffer()
  const publisher = createFramePublisher(page, timing, publish)
  const onChange = publisher.request
  const identityCells = { identity, anonymousName, identityNotice }
  const messaging = createMessaging({ url, page, timing, log, onChange, sender, moderation, ...identityCells })
  const presence = createPresenceLink({ url, page, timing, onChange })
  let unsubscribe: (() => void) | null = null
  let isRestored = false

  function publish() {
    messages.set(log.view())
    onlineUsers.set(presence.ids())
  }

  function updateStatus() {
    status.set(combineStatus(messaging.state.get(), presence.state.get(), page.isOnline()))
  }

  function connect() {
    messaging.start()
    presence.start()
  }

  function disconnect() {
    messaging.stop()
    presence.stop()
  }

  function wake() {
    messaging.wake()
    presence.wake()
  }

  function handleOffline() {
    messaging.markUnconfirmed()
    presence.markUnconfirmed()
    updateStatus()
  }

  function storeName() {
    const name = anonymousName.get()
    page.store(nameKey, name === initialAnonymousName ? null : name)
  }

  /** Restores name, draft and outbox after a reload. Runs once. */
  function restore() {
    if (isRestored) return
    isRestored = true
    anonymousName.set(page.load(nameKey) ?? initialAnonymousName)
    messaging.restore()
  }

  return {
    start() {
      if (unsubscribe !== null) return
      restore()
      const stopWatching = watchPageLifecycle(page, timing.sleepCheckMs, {
        onWake: wake,
        onVisibilityChange: publisher.handleVisibilityChange,
        onOffline: handleOffline,
        onOnline: updateStatus,
        onPageHide: disconnect,
        onPageShow: connect,
      })
      const subscriptions = [
        stopWatching,
        messaging.state.subscribe(updateStatus),
        presence.state.subscribe(updateStatus),
        anonymousName.subscribe(storeName),
      ]
      unsubscribe = () => {
        for (const stop of subscriptions) stop()
      }
      connect()
      updateStatus()
    },
    stop() {
      unsubscribe?.()
      unsubscribe = null
      disconnect()
      publisher.stop()
      status.set(initialStatus)
    },
    status,
    messages,
    onlineUsers,
    sender,
    identity,
    identityNotice,
    moderation,
    anonymousName,
    actions: { ...messaging.actions, logIn: messaging.logIn, retryNow: wake },
  }
}
