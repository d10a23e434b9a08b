import { defaultIdentity } from '../../contract/constants.ts'
import { events } from '../../contract/events.ts'
import { isBlank } from '../../contract/message-text.ts'
import type { ConnectRejectionCode } from '../../contract/rejections.ts'
import { createTimer } from './link/timer.ts'
import type { Cell, Readable } from './cell.ts'
import { createLink, type RoomSocket } from './link/link.ts'
import type { MessageBuffer } from './receive/message-buffer.ts'
import type { Page } from './link/browser-page.ts'
import { createReceiveLoop } from './receive/receive-loop.ts'
import { createSendLoop } from './send/send-loop.ts'
import type { Sender } from './send/sender.ts'
import type { Timing } from './timing.ts'

/** Why the page is anonymous again. */
export type IdentityNotice = 'token_refused'

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
}

/** The connection that messages go and come by, under the identity of the moment. */
export function createMessaging(options: MessagingOptions) {
  const { url, page, timing, log, onChange, sender, identity, anonymousName, identityNotice } = options
  const unauthorized: ConnectRejectionCode = 'unauthorized'
  const positionGrace = createTimer()
  let token: string | null = null

  const receiving = createReceiveLoop({
    page,
    responseTimeoutMs: timing.responseTimeoutMs,
    log,
    onChange,
    onResponseTimeout: () => link.remake(),
  })
  const sending = createSendLoop({
    page,
    ackTimeoutMs: timing.ackTimeoutMs,
    cursor: receiving.cursor,
    speaker() {
      const anonymous = identity.get() === defaultIdentity
      return { anonymous, name: anonymous ? anonymousName.get() : identity.get() }
    },
    sender,
    // The handshake decides: a token that is refused there too makes the page anonymous.
    onUnauthorized() {
      if (token !== null) link.remake()
    },
    onStored(seq) {
      log.markOwn(seq)
      onChange()
    },
  })

  function takesMessages(socket: RoomSocket) {
    positionGrace.clear()
    sending.open(socket)
  }

  const link = createLink({
    url,
    page,
    timing,
    auth() {
      const cursor = receiving.handshake()
      return { channel: 'messages', ...(token !== null && { token }), ...(cursor && { cursor }) }
    },
    addListeners(socket) {
      receiving.attach(socket)
      // Not before the page knows where it stands: a first attempt names the place, so that a repeat can be told for one.
      socket.on(events.cursor, () => takesMessages(socket))
    },
    onConnect: (socket) => positionGrace.set(timing.cursorTimeoutMs, () => takesMessages(socket)),
    onDisconnect() {
      positionGrace.clear()
      receiving.down()
      sending.close()
    },
    onRejected(code) {
      if (code !== unauthorized || token === null) return false
      token = null
      sending.hold()
      identity.set(defaultIdentity)
      identityNotice.set('token_refused')
      return true
    },
  })

  function stop() {
    link.stop()
    sending.stop()
  }

  /** Whoever goes on talking has read it. */
  const send: typeof sending.actions.send = (...how) => {
    if (!isBlank(sender.get().draft)) identityNotice.set(null)
    sending.actions.send(...how)
  }

  function logIn(name: string, newToken: string) {
    token = newToken
    sending.hold()
    identity.set(name)
    identityNotice.set(null)
    link.remake()
  }

  const { state, start, doubt, wake } = link
  return { state, start, stop, doubt, wake, logIn, restore: sending.restore, actions: { ...sending.actions, send } }
}
