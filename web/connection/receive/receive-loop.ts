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
  /** A `resume` was not answered. */
  onResponseTimeout: () => void
}

export function createReceiveLoop({ page, responseTimeoutMs, log, onChange, onResponseTimeout }: ReceiveLoopOptions) {
  const answerLimit = createTimer()
  let reception = initialReceiver
  let replay: ReplayWindow | null = null

  function take(input: ReceiverInput) {
    const step = reduceReceiver(reception, input)
    reception = step.receiver
    return step.action
  }

  function position(cursor: Cursor) {
    answerLimit.clear()
    const returning = reception.awaiting === 'handshake' && reception.cursor !== null
    const gap = take({ kind: 'cursor', cursor }) === 'gap'
    replay = returning && !gap ? openReplayWindow(page.nowMs()) : null
    if (!gap) return
    log.appendGap()
    onChange()
  }

  return {
    cursor: () => reception.cursor,
    /** The cursor to name in the handshake. */
    handshake(): Cursor | null {
      take({ kind: 'handshake' })
      return reception.cursor
    },
    attach(socket: RoomSocket) {
      socket.on(events.cursor, position)
      socket.on(events.receiveMessage, (message, at: Cursor | undefined) => {
        const task = take({ kind: 'message', position: at })
        if (task === 'append') {
          replay &&= advanceReplayWindow(replay, page.nowMs())
          log.appendMessage(message, !isReplayed(replay, message.createdTime), at?.seq)
          onChange()
        } else if (task === 'ask' && reception.cursor !== null) {
          socket.emit(events.resume, reception.cursor)
          answerLimit.set(responseTimeoutMs, onResponseTimeout)
        }
      })
    },
    down: () => answerLimit.clear(),
  }
}
