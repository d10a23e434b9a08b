import { events } from '../../../contract/events.ts'
import type { Cursor, SendAck } from '../../../contract/messages.ts'
import { createAlarm } from '../link/alarm.ts'
import type { Cell } from '../cell.ts'
import type { RoomSocket } from '../link/link.ts'
import type { Page } from '../link/browser-page.ts'
import { randomId } from './random-id.ts'
import { idleSendState, type SendState } from './send-state.ts'
import {
  answered,
  closed,
  edit,
  freshSender,
  hold,
  opened,
  type Outgoing,
  press,
  repeat,
  repeatAtMs,
  type Sender,
  type SenderStep,
} from './sender.ts'

export interface SendingOptions {
  page: Page
  ackTimeoutMs: number
  cursor: () => Cursor | null
  draft: Cell<string>
  sendState: Cell<SendState>
  /** The server no longer takes the token that the connection was made with. */
  onUnauthorized: () => void
  /** A message of this page is in the log, under this number. */
  onStored: (seq: number) => void
}

const sendingState: SendState = { state: 'sending' }

export function createSending(options: SendingOptions) {
  const { page, ackTimeoutMs, cursor, draft, sendState, onUnauthorized, onStored } = options
  const repetition = createAlarm()
  let sender = freshSender
  let socket: RoomSocket | null = null

  const moment = () => ({ nowMs: page.nowMs(), cursor: cursor() })

  function show(next: Sender) {
    sender = next
    draft.set(next.draft)
    sendState.set(shown(next))
    const dueMs = repeatAtMs(next, ackTimeoutMs)
    if (dueMs === null) repetition.clear()
    else repetition.set(dueMs - page.nowMs(), () => run(repeat(sender, moment())))
  }

  function run({ sender: next, emit }: SenderStep) {
    show(next)
    if (emit !== null) put(emit)
  }

  function put({ id, payload, after }: Outgoing) {
    socket?.emit(events.sendMessage, payload, after ? { id, after } : { id }, (answer: SendAck) => {
      run(answered(sender, id, answer, moment()))
      if (answer.ok) onStored(answer.seq)
      else if (answer.code === 'unauthorized') onUnauthorized()
    })
  }

  function shown({ phase }: Sender): SendState {
    const before = sendState.get()
    switch (phase.name) {
      case 'sending':
        return sendingState
      case 'waiting': {
        const { reason, retryAtMs } = phase
        return before.state === 'waiting' && before.retryAtMs === retryAtMs
          ? before
          : { state: 'waiting', reason, retryAtMs }
      }
      case 'refused':
        return before.state === 'refused' ? before : { state: 'refused', code: phase.code, reason: phase.reason }
      default:
        return idleSendState
    }
  }

  return {
    edit: (text: string) => show(edit(sender, text)),
    press(name: string, anonymous: boolean) {
      run(press(sender, { id: randomId(), name, anonymous }, moment()))
    },
    /** Messages may go out over this connection; called again, it changes nothing. */
    open(opening: RoomSocket) {
      if (sender.open) return
      socket = opening
      run(opened(sender, moment()))
    },
    close() {
      socket = null
      show(closed(sender))
    },
    hold: () => show(hold(sender)),
    stop: () => repetition.clear(),
  }
}
