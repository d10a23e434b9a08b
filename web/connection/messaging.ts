import { defaultIdentity } from '../../contract/constants.ts'
import { events } from '../../contract/events.ts'
import type { ConnectRefusalCode } from '../../contract/refusals.ts'
import { createAlarm } from './link/alarm.ts'
import type { Cell } from './cell.ts'
import { createLink, type RoomSocket } from './link/link.ts'
import type { MessageBuffer } from './receiving/message-buffer.ts'
import type { Page } from './link/browser-page.ts'
import { createReceiving } from './receiving/receive-loop.ts'
import type { SendState } from './sending/send-state.ts'
import { createSending } from './sending/send-loop.ts'
import type { Timing } from './timing.ts'

export const tokenRefusedText = 'Your login is no longer valid. You are anonymous again.'

export interface MessagingOptions {
  url: string | undefined
  page: Page
  timing: Timing
  log: MessageBuffer
  onChange: () => void
  draft: Cell<string>
  sendState: Cell<SendState>
  identity: Cell<string>
  identityNotice: Cell<string | null>
}

/** The connection that messages go and come by, under the identity of the moment. */
export function createMessaging(options: MessagingOptions) {
  const { url, page, timing, log, onChange, draft, sendState, identity, identityNotice } = options
  const unauthorized: ConnectRefusalCode = 'unauthorized'
  const positionGrace = createAlarm()
  let token: string | null = null

  const receiving = createReceiving({
    page,
    answerLimitMs: timing.answerLimitMs,
    log,
    onChange,
    onSilence: () => link.remake(),
  })
  const sending = createSending({
    page,
    ackTimeoutMs: timing.ackTimeoutMs,
    cursor: receiving.cursor,
    draft,
    sendState,
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
    attach(socket) {
      receiving.attach(socket)
      // Not before the page knows where it stands: a first attempt names the place, so that a repeat can be told for one.
      socket.on(events.cursor, () => takesMessages(socket))
    },
    onConnect: (socket) => positionGrace.set(timing.positionGraceMs, () => takesMessages(socket)),
    onDown() {
      positionGrace.clear()
      receiving.down()
      sending.close()
    },
    onRefused(code) {
      if (code !== unauthorized || token === null) return false
      token = null
      sending.hold()
      identity.set(defaultIdentity)
      identityNotice.set(tokenRefusedText)
      return true
    },
  })

  function stop() {
    link.stop()
    sending.stop()
  }

  function press(anonymousName: string) {
    const anonymous = identity.get() === defaultIdentity
    sending.press(anonymous ? anonymousName : identity.get(), anonymous)
  }

  function logIn(name: string, newToken: string) {
    token = newToken
    sending.hold()
    identity.set(name)
    identityNotice.set(null)
    link.remake()
  }

  return { state: link.state, start: link.start, stop, wake: link.wake, edit: sending.edit, press, logIn }
}
