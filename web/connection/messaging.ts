import { defaultIdentity } from '../../contract/constants.ts'
import { events } from '../../contract/events.ts'
import { isBlank } from '../../contract/message-text.ts'
import type { ConnectRejectionCode } from '../../contract/rejections.ts'
import { createTimer } from './link/timer.ts'
import type { Cell, Readable } from './cell.ts'
import { createLink, type RoomSocket } from './link/link.ts'
import { createModerationLoop, type Moderation } from './moderation.ts'
import type { MessageBuffer } from './receive/message-buffer.ts'
import type { Page } from './link/browser-page.ts'
import { createReceiveLoop } from './receive/receive-loop.ts'
import { createSendLoop } from './send/send-loop.ts'
import type { Sender } from './send/sender.ts'
import type { Timing } from './timing.ts'

/** Reason why the page became anonymous again. */
export type IdentityNotice = 'token_rejected'

export interface MessagingOptions {
  url: string | undefined
  page: Page
  timing: Timing
  log: MessageBuffer
  onChange: () => void
  sender: Cell<Sender>
  identity: Cell<string>
  anonymousName: Readable<string>
  identityNotice: Cell<IdentityNotice | null>
  moderation: Cell<Moderation>
}

/** Creates the connection that sends and receives messages under the current identity. */
export function createMessaging(options: MessagingOptions) {
  const { url, page, timing, log, onChange, sender, identity, anonymousName, identityNotice } = options
  const unauthorized: ConnectRejectionCode = 'unauthorized'
  const cursorTimer = createTimer()
  let token: string | null = null
  /**
   * Socket that has received its first cursor, or for which the wait for the cursor timed out; `null` before that and
   * while disconnected.
   */
  let readySocket: RoomSocket | null = null

  const moderating = createModerationLoop(options.moderation, timing.ackTimeoutMs)
  const receiving = createReceiveLoop({
    responseTimeoutMs: timing.responseTimeoutMs,
    log,
    onChange,
    onResponseTimeout: () => link.reconnect(),
  })
  const sending = createSendLoop({
    page,
    ackTimeoutMs: timing.ackTimeoutMs,
    cursor: receiving.cursor,
    author() {
      const anonymous = identity.get() === defaultIdentity
      return { anonymous, name: anonymous ? anonymousName.get() : identity.get() }
    },
    sender,
    // The new handshake checks the token. If the server rejects the token there too, the page becomes anonymous.
    onUnauthorized() {
      if (token !== null) link.reconnect()
    },
    onStored(seq) {
      log.markOwn(seq)
      onChange()
    },
  })

  function startSending(socket: RoomSocket) {
    cursorTimer.clear()
    readySocket = socket
    resumeSending()
  }

  /**
   * Sends over a confirmed connection only. The user could not withdraw a message that the page emitted to a dead
   * connection.
   */
  function resumeSending() {
    const state = link.state.get()
    if (readySocket !== null && state.kind === 'live' && state.isConfirmed) sending.open(readySocket)
  }

  /** Stops sending until the connection is confirmed. Call this function when the browser goes offline. */
  function markUnconfirmed() {
    link.markUnconfirmed()
    sending.close()
  }

  const link = createLink({
    url,
    page,
    timing,
    auth() {
      const cursor = receiving.beginHandshake()
      return { channel: 'messages', removals: true, ...(token !== null && { token }), ...(cursor && { cursor }) }
    },
    addListeners(socket) {
      receiving.addListeners(socket)
      moderating.addListeners(socket)
      // Start sending after the first cursor: a message carries the cursor of its first attempt, which deduplication uses.
      socket.on(events.cursor, () => startSending(socket))
    },
    onConnect(socket) {
      moderating.open(socket)
      cursorTimer.set(timing.cursorTimeoutMs, () => startSending(socket))
    },
    onDisconnect() {
      cursorTimer.clear()
      readySocket = null
      moderating.close()
      receiving.disconnected()
      sending.close()
    },
    onRejected(code) {
      if (code !== unauthorized || token === null) return false
      changeIdentity(defaultIdentity, null, 'token_rejected')
      return true
    },
  })

  link.state.subscribe(resumeSending)

  function stop() {
    link.stop()
    sending.stop()
  }

  /** Sends the draft. A draft that is not blank also dismisses the identity notice. */
  const send = (isAuthorConfirmed?: boolean) => {
    if (!isBlank(sender.get().draft)) identityNotice.set(null)
    sending.actions.send(isAuthorConfirmed)
  }

  /**
   * Sets the identity of the next connection. Holds the pending messages, because they were written under the earlier
   * identity.
   */
  function changeIdentity(name: string, newToken: string | null, notice: IdentityNotice | null) {
    token = newToken
    moderating.clearRole()
    sending.holdPending()
    identity.set(name)
    identityNotice.set(notice)
  }

  function logIn(name: string, newToken: string) {
    changeIdentity(name, newToken, null)
    link.reconnect()
  }

  const { state, start, wake } = link
  return {
    state,
    start,
    stop,
    markUnconfirmed,
    wake,
    logIn,
    restore: sending.restore,
    actions: { ...sending.actions, send, moderate: moderating.moderate },
  }
}
