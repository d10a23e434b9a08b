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
  /** Returns the identity under which the page sends the next message. */
  author: () => { name: string; anonymous: boolean }
  sender: Cell<sending.Sender>
  /** Handles a message that the server rejects because the token of the connection is no longer valid. */
  onUnauthorized: () => void
  /** Handles the sequence number of a message that the server has acknowledged as stored. */
  onStored: (seq: number) => void
}

const outboxKey = 'chat-room.pressed'
const draftKey = 'chat-room.draft'

/** Creates the part of the message connection that sends the outbox, and stores outbox and draft for a reload. */
export function createSendLoop(options: SendLoopOptions) {
  const { page, ackTimeoutMs, cursor, author, sender, onUnauthorized, onStored } = options
  const resendTimer = createTimer()
  let socket: RoomSocket | null = null

  const context = () => ({ nowMs: page.nowMs(), elapsedMs: page.elapsedMs(), cursor: cursor() })
  const request = () => ({ id: randomId(), ...author() })
  const account = () => (author().anonymous ? null : author().name)

  function apply(next: sending.Sender) {
    const before = sender.get()
    if (next === before) return
    if (next.outbox !== before.outbox) {
      page.store(outboxKey, serializeOutbox(next))
      page.setLeaveWarning(next.outbox.some(sending.isPending))
    }
    const draft = serializeDraft(next)
    if (draft !== serializeDraft(before)) page.store(draftKey, draft)
    sender.set(next)
    scheduleResend()
  }

  function scheduleResend() {
    const dueMs = sending.resendAtMs(sender.get(), ackTimeoutMs)
    if (dueMs === null) resendTimer.clear()
    else resendTimer.set(Math.max(0, dueMs - page.elapsedMs()), () => run(sending.resend(sender.get(), context())))
  }

  function run({ sender: next, emit }: sending.SenderStep) {
    apply(next)
    if (emit !== null) emitMessage(emit)
  }

  function emitMessage({ id, payload, after }: sending.OutboxMessage) {
    socket?.emit(events.sendMessage, payload, after ? { id, after } : { id }, (ack: SendAck) => {
      run(sending.acknowledged(sender.get(), id, ack, context()))
      if (ack.ok) onStored(ack.seq)
      else if (ack.code === 'unauthorized') onUnauthorized()
    })
  }

  return {
    /** Restores draft and outbox after a reload. */
    restore: () => {
      const stored = { outbox: page.load(outboxKey), draft: page.load(draftKey) }
      apply(restoreSender(sender.get(), stored, page.nowMs()))
    },
    actions: {
      setDraft: (text: string, isRevision?: boolean) =>
        apply(sending.editDraft(sender.get(), text, isRevision, account())),
      adoptEarlyText: (text: string) => apply(adoptEarlyText(sender.get(), text, randomId())),
      send(isAuthorConfirmed = false) {
        run(sending.send(sender.get(), request(), context(), isAuthorConfirmed))
      },
      sendHeld: (id: string) => run(sending.sendHeld(sender.get(), id, request(), context())),
      takeBack: (id: string) => apply(takeBack(sender.get(), id)),
      moveToField: (id: string) => apply(moveToField(sender.get(), id, randomId())),
      dismiss: (id: string) => apply(dismiss(sender.get(), id)),
      undoDismiss: (message: sending.OutboxMessage) => apply(undoDismiss(sender.get(), message)),
    },
    /** Starts sending over `openSocket`. More calls have no effect until `close`. */
    open(openSocket: RoomSocket) {
      if (sender.get().isOpen) return
      socket = openSocket
      run(sending.opened(sender.get(), context()))
    },
    close() {
      socket = null
      apply(sending.closed(sender.get()))
    },
    holdPending: () => apply(sending.holdPending(sender.get())),
    stop: () => resendTimer.clear(),
  }
}
