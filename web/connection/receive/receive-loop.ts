import { events } from '../../../contract/events.ts'
import type { Cursor } from '../../../contract/messages.ts'
import { createTimer } from '../link/timer.ts'
import type { RoomSocket } from '../link/link.ts'
import type { MessageBuffer } from './message-buffer.ts'
import type { Page } from '../link/browser-page.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from './receiver.ts'
import { isReplayed, openReplayWindow, advanceReplayWindow, type ReplayWindow } from './replay-window.ts'

export interface ReceiveLoopOptions {
  page: Page
  responseTimeoutMs: number
  log: MessageBuffer
  onChange: () => void
  /** Called when the server does not respond to a `resume`. */
  onResponseTimeout: () => void
}

/** Creates the part of the message connection that receives messages and requests missing ones. */
export function createReceiveLoop({ page, responseTimeoutMs, log, onChange, onResponseTimeout }: ReceiveLoopOptions) {
  const resumeTimer = createTimer()
  let receiver = initialReceiver
  let replay: ReplayWindow | null = null

  function apply(input: ReceiverInput) {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  }

  function handleCursor(cursor: Cursor) {
    resumeTimer.clear()
    const isReconnect = receiver.awaiting === 'handshake' && receiver.cursor !== null
    const hasGap = apply({ kind: 'cursor', cursor }) === 'gap'
    replay = isReconnect && !hasGap ? openReplayWindow(page.nowMs()) : null
    if (!hasGap) return
    log.appendGap()
    onChange()
  }

  return {
    cursor: () => receiver.cursor,
    /** Returns the cursor to send in the handshake. */
    beginHandshake(): Cursor | null {
      apply({ kind: 'handshake' })
      return receiver.cursor
    },
    addListeners(socket: RoomSocket) {
      socket.on(events.cursor, handleCursor)
      socket.on(events.receiveMessage, (message, position: Cursor | undefined) => {
        const action = apply({ kind: 'message', position })
        if (action === 'append') {
          replay &&= advanceReplayWindow(replay, page.nowMs())
          log.appendMessage(message, !isReplayed(replay, message.createdTime), position?.seq)
          onChange()
        } else if (action === 'resume' && receiver.cursor !== null) {
          socket.emit(events.resume, receiver.cursor)
          resumeTimer.set(responseTimeoutMs, onResponseTimeout)
        }
      })
    },
    disconnected: () => resumeTimer.clear(),
  }
}
