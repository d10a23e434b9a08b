import { events } from '../../../contract/events.ts'
import type { Cursor } from '../../../contract/messages.ts'
import { createAlarm } from '../link/timer.ts'
import type { RoomSocket } from '../link/link.ts'
import type { MessageBuffer } from './message-buffer.ts'
import type { Page } from '../link/browser-page.ts'
import { freshReception, receive, type ReceptionInput } from './receiver.ts'
import { isReplayed, openReplayWindow, passReplayWindow, type ReplayWindow } from './replay-window.ts'

export interface ReceivingOptions {
  page: Page
  answerLimitMs: number
  log: MessageBuffer
  onChange: () => void
  /** A `resume` was not answered. */
  onSilence: () => void
}

export function createReceiving({ page, answerLimitMs, log, onChange, onSilence }: ReceivingOptions) {
  const answerLimit = createAlarm()
  let reception = freshReception
  let replay: ReplayWindow | null = null

  function take(input: ReceptionInput) {
    const step = receive(reception, input)
    reception = step.reception
    return step.task
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
          replay &&= passReplayWindow(replay, page.nowMs())
          log.appendMessage(message, !isReplayed(replay, message.createdTime), at?.seq)
          onChange()
        } else if (task === 'ask' && reception.cursor !== null) {
          socket.emit(events.resume, reception.cursor)
          answerLimit.set(answerLimitMs, onSilence)
        }
      })
    },
    down: () => answerLimit.clear(),
  }
}
