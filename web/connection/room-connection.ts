import { defaultIdentity, initialAnonymousName } from '../../contract/constants.ts'
import { type Cell, createCell, type Readable } from './cell.ts'
import { combineStatus, type ConnectionStatus, initialStatus } from './connection-status.ts'
import { createFramePublisher } from './receiving/frame-publisher.ts'
import { createMessageBuffer, emptyMessageList, type MessageList } from './receiving/message-buffer.ts'
import { createMessaging } from './messaging.ts'
import { createOnlineList } from './presence/presence-link.ts'
import { watchPageLife } from './link/page-life.ts'
import { browserPage, type Page } from './link/browser-page.ts'
import { idleSendState, type SendState } from './sending/send-state.ts'
import { defaultTiming, type Timing } from './timing.ts'

/** 'anonymous-not-loggedin', or the logged-in name. */
export type Identity = string

export interface RoomActions {
  readonly setDraft: (text: string) => void
  readonly send: (anonymousName: string) => void
  readonly logIn: (name: string, token: string) => void
  readonly retryNow: () => void
}

export interface RoomConnection {
  readonly start: () => void
  readonly stop: () => void
  readonly status: Readable<ConnectionStatus>
  readonly messages: Readable<MessageList>
  readonly onlineUsers: Readable<readonly string[]>
  readonly draft: Readable<string>
  readonly sendState: Readable<SendState>
  readonly identity: Readable<Identity>
  readonly identityNotice: Readable<string | null>
  readonly anonymousName: Cell<string>
  readonly actions: RoomActions
}

export interface RoomConnectionOptions {
  url?: string
  page?: Page
  timing?: Timing
}

/** The one owner of the page's two connections. Nothing is opened, and no `window` touched, before `start`. */
export function createRoomConnection(options: RoomConnectionOptions = {}): RoomConnection {
  const { url, page = browserPage, timing = defaultTiming } = options
  const status = createCell(initialStatus)
  const messages = createCell(emptyMessageList)
  const onlineUsers = createCell<readonly string[]>([])
  const draft = createCell('')
  const sendState = createCell(idleSendState)
  const identity = createCell<Identity>(defaultIdentity)
  const identityNotice = createCell<string | null>(null)

  const log = createMessageBuffer()
  const publisher = createFramePublisher(page, timing, publish)
  const onChange = publisher.request
  const messaging = createMessaging({ url, page, timing, log, onChange, draft, sendState, identity, identityNotice })
  const onlineList = createOnlineList({ url, page, timing, onChange })
  let unwatch: (() => void) | null = null

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

  return {
    start() {
      if (unwatch !== null) return
      const stopLife = watchPageLife(page, timing.sleepTickMs, {
        onWake: wake,
        onVisibilityChange: publisher.visibilityChanged,
        onOnlineChange: showStatus,
        onLeave: disconnect,
        onReturn: connect,
      })
      const stopStatus = [messaging.state.subscribe(showStatus), onlineList.state.subscribe(showStatus)]
      unwatch = () => {
        stopLife()
        for (const stop of stopStatus) stop()
      }
      connect()
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
    draft,
    sendState,
    identity,
    identityNotice,
    anonymousName: createCell(initialAnonymousName),
    actions: { setDraft: messaging.edit, send: messaging.press, logIn: messaging.logIn, retryNow: wake },
  }
}
