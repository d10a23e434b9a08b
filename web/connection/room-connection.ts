import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import { type Cell, createCell, type Readable } from './cell.ts'
import { combineStatus, type ConnectionStatus, initialStatus } from './connection-status.ts'
import { createFramePublisher } from './receive/frame-publisher.ts'
import { createMessageBuffer, emptyMessageList, type MessageList } from './receive/message-buffer.ts'
import { createMessaging, type IdentityNotice } from './messaging.ts'
import { createPresenceLink } from './presence/presence-link.ts'
import { watchPageLifecycle } from './link/page-lifecycle.ts'
import { browserPage, type Page } from './link/browser-page.ts'
import { initialSender, type OutboxMessage, type Sender } from './send/sender.ts'
import { defaultTiming, type Timing } from './timing.ts'

/** 'anonymous-not-loggedin', or the logged-in name. */
export type Identity = string

export interface RoomActions {
  /** The field holds this now; `reworked` when somebody changed in place what stood there. */
  readonly setDraft: (text: string, reworked?: boolean) => void
  /** What was typed before the page could read it. */
  readonly adoptEarlyText: (text: string) => void
  readonly send: () => void
  readonly sendHeld: (id: string) => void
  readonly takeBack: (id: string) => void
  readonly moveToField: (id: string) => void
  readonly dismiss: (id: string) => void
  readonly undoDismiss: (message: OutboxMessage) => void
  readonly logIn: (name: string, token: string) => void
  readonly retryNow: () => void
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
  readonly anonymousName: Cell<string>
  readonly actions: RoomActions
}

export interface RoomConnectionOptions {
  url?: string
  page?: Page
  timing?: Timing
}

const nameKey = 'chat-room.name'

/** The one owner of the page's two connections. Nothing is opened, and no `window` touched, before `start`. */
export function createRoomConnection(options: RoomConnectionOptions = {}): RoomConnection {
  const { url, page = browserPage, timing = defaultTiming } = options
  const status = createCell(initialStatus)
  const messages = createCell(emptyMessageList)
  const onlineUsers = createCell<readonly string[]>([])
  const sender = createCell(initialSender)
  const identity = createCell<Identity>(defaultIdentity)
  const identityNotice = createCell<IdentityNotice | null>(null)
  const anonymousName = createCell(initialAnonymousName)

  const log = createMessageBuffer()
  const publisher = createFramePublisher(page, timing, publish)
  const onChange = publisher.request
  const who = { identity, anonymousName, identityNotice }
  const messaging = createMessaging({ url, page, timing, log, onChange, sender, ...who })
  const onlineList = createPresenceLink({ url, page, timing, onChange })
  let unwatch: (() => void) | null = null
  let restored = false

  function publish() {
    messages.set(log.view())
    onlineUsers.set(onlineList.ids())
  }

  function showStatus() {
    status.set(combineStatus(messaging.state.get(), onlineList.state.get(), page.isOnline()))
  }

  function connect() {
    messaging.start()
    onlineList.start()
  }

  function disconnect() {
    messaging.stop()
    onlineList.stop()
  }

  function wake() {
    messaging.wake()
    onlineList.wake()
  }

  function goOffline() {
    messaging.doubt()
    onlineList.doubt()
    showStatus()
  }

  function keepName() {
    const name = anonymousName.get()
    page.store(nameKey, name === initialAnonymousName ? null : name)
  }

  /** Takes up what a reload interrupted, once. */
  function restore() {
    if (restored) return
    restored = true
    anonymousName.set(page.load(nameKey) ?? initialAnonymousName)
    messaging.restore()
  }

  return {
    start() {
      if (unwatch !== null) return
      restore()
      const stopLife = watchPageLifecycle(page, timing.sleepCheckMs, {
        onWake: wake,
        onVisibilityChange: publisher.visibilityChanged,
        onOffline: goOffline,
        onOnline: showStatus,
        onPageHide: disconnect,
        onPageShow: connect,
      })
      const stopListening = [
        stopLife,
        messaging.state.subscribe(showStatus),
        onlineList.state.subscribe(showStatus),
        anonymousName.subscribe(keepName),
      ]
      unwatch = () => {
        for (const stop of stopListening) stop()
      }
      connect()
      showStatus()
    },
    stop() {
      unwatch?.()
      unwatch = null
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
    anonymousName,
    actions: { ...messaging.actions, logIn: messaging.logIn, retryNow: wake },
  }
}
