import { events } from '../../../contract/events.ts'
import type { Cursor, SendAck } from '../../../contract/messages.ts'
import { createTimer } from '../link/timer.ts'
import type { Cell } from '../cell.ts'
import type { RoomSocket } from '../link/link.ts'
import type { Page } from '../link/browser-page.ts'
import { serializeDraft, serializeOutbox, restoreSender } from './stored-sender.ts'
import { adoptEarlyText, moveToField, dismiss, takeBack, undoDismiss } from './outbox-rows.ts'
import { randomId } from './random-id.ts'
import * as sending from './sender.ts'

export interface SendLoopOptions {
  page: Page
  ackTimeoutMs: number
  cursor: () => Cursor | null
  /** Who speaks when Send is pressed now. */
  speaker: () => { name: string; anonymous: boolean }
  sender: Cell<sending.Sender>
  /** The server no longer takes the token that the connection was made with. */
  onUnauthorized: () => void
  /** A message of this page is in the log, under this number. */
  onStored: (seq: number) => void
}

const pressedKey = 'chat-room.pressed'
const draftKey = 'chat-room.draft'

export function createSendLoop(options: SendLoopOptions) {
  const { page, ackTimeoutMs, cursor, speaker, sender, onUnauthorized, onStored } = options
  const repetition = createTimer()
  let socket: RoomSocket | null = null

  const moment = () => ({ nowMs: page.nowMs(), elapsedMs: page.elapsedMs(), cursor: cursor() })
  const pressing = () => ({ id: randomId(), ...speaker() })

  function apply(next: sending.Sender) {
    const before = sender.get()
    if (next === before) return
    if (next.outbox !== before.outbox) {
      page.store(pressedKey, serializeOutbox(next))
      page.setLeaveWarning(next.outbox.some(sending.isPending))
    }
    if (next.draft !== before.draft || next.fieldMessageId !== before.fieldMessageId)
      page.store(draftKey, serializeDraft(next))
    sender.set(next)
    scheduleRepetition()
  }

  function scheduleRepetition() {
    const dueMs = sending.resendAtMs(sender.get(), ackTimeoutMs)
    if (dueMs === null) repetition.clear()
    else repetition.set(Math.max(0, dueMs - page.elapsedMs()), () => run(sending.resend(sender.get(), moment())))
  }

  function run({ sender: next, emit }: sending.SenderStep) {
    apply(next)
    if (emit !== null) emitMessage(emit)
  }

  function emitMessage({ id, payload, after }: sending.OutboxMessage) {
    socket?.emit(events.sendMessage, payload, after ? { id, after } : { id }, (answer: SendAck) => {
      run(sending.acknowledged(sender.get(), id, answer, moment()))
      if (answer.ok) onStored(answer.seq)
      else if (answer.code === 'unauthorized') onUnauthorized()
    })
  }

  return {
    /** Takes up what a reload interrupted. */
    restore: () => apply(restoreSender(sender.get(), page.load(pressedKey), page.load(draftKey))),
    actions: {
      setDraft: (text: string, reworked?: boolean) => apply(sending.editDraft(sender.get(), text, reworked)),
      adoptEarlyText: (text: string) => apply(adoptEarlyText(sender.get(), text, randomId())),
      send: () => run(sending.send(sender.get(), pressing(), moment())),
      sendHeld: (id: string) => run(sending.sendHeld(sender.get(), id, pressing(), moment())),
      takeBack: (id: string) => apply(takeBack(sender.get(), id)),
      moveToField: (id: string) => apply(moveToField(sender.get(), id, randomId())),
      dismiss: (id: string) => apply(dismiss(sender.get(), id)),
      undoDismiss: (message: sending.OutboxMessage) => apply(undoDismiss(sender.get(), message)),
    },
    /** Messages may go out over this connection; called again, it changes nothing. */
    open(opening: RoomSocket) {
      if (sender.get().isOpen) return
      socket = opening
      run(sending.opened(sender.get(), moment()))
    },
    close() {
      socket = null
      apply(sending.closed(sender.get()))
    },
    hold: () => apply(sending.holdPending(sender.get())),
    stop: () => repetition.clear(),
  }
}
