import { events, moderationEvents } from '../../../contract/events.ts'
import type { Cursor, ReplayNotice } from '../../../contract/messages.ts'
import { createTimer } from '../link/timer.ts'
import type { RoomSocket } from '../link/link.ts'
import type { MessageBuffer } from './message-buffer.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from './receiver.ts'

export interface ReceiveLoopOptions {
  responseTimeoutMs: number
  log: MessageBuffer
  onChange: () => void
  /** Handles a `resume` to which the server does not respond. */
  onResponseTimeout: () => void
}

/** Creates the part of the message connection that receives messages and requests missing ones. */
export function createReceiveLoop({ responseTimeoutMs, log, onChange, onResponseTimeout }: ReceiveLoopOptions) {
  const resumeTimer = createTimer()
  let receiver = initialReceiver
  /** Position of the last message that was stored before the page reconnected. The server replays up to it. */
  let replayEnd: Cursor | null = null

  function apply(input: ReceiverInput) {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  }

  const isReplayed = ({ epoch, seq }: Cursor) => replayEnd?.epoch === epoch && seq <= replayEnd.seq

  // A server of an older version sends no notice.
  function handleCursor(cursor: Cursor, replay?: ReplayNotice) {
    resumeTimer.clear()
    const previous = receiver.cursor
    const isReconnect = receiver.awaiting === 'handshake' && receiver.cursor !== null
    const hasGap = apply({ kind: 'cursor', cursor }) === 'gap'
    if (isReconnect) replayEnd = replay === undefined ? null : { epoch: cursor.epoch, seq: replay.head }
    // Use the position of the receiver, which ignores a late cursor. After a gap, it can be at or beyond `replayEnd`.
    const { epoch, seq } = receiver.cursor ?? cursor
    if (isReplayed({ epoch, seq: seq + 1 })) log.startReplay()
    else log.endReplay()
    if (!hasGap) return
    log.appendGap(previous?.epoch === cursor.epoch ? cursor.seq : 0)
    onChange()
  }

  /** Returns the cursor with which the page requests missed messages and removals. */
  function requestCursor(): Cursor | null {
    const { cursor, removals } = receiver
    return cursor === null || removals === undefined ? cursor : { ...cursor, removals }
  }

  return {
    cursor: () => receiver.cursor,
    /** Starts to await the first cursor of a new connection. Returns the cursor to send in the handshake. */
    beginHandshake(): Cursor | null {
      apply({ kind: 'handshake' })
      return requestCursor()
    },
    addListeners(socket: RoomSocket) {
      socket.on(events.cursor, handleCursor)
      socket.on(events.receiveMessage, (message, position: Cursor | undefined) => {
        const action = apply({ kind: 'message', position })
        if (action === 'append') {
          const isLive = position === undefined || !isReplayed(position)
          log.appendMessage(message, isLive, position?.seq)
          if (isLive || position.seq === replayEnd?.seq) log.endReplay()
          onChange()
        } else if (action === 'resume') {
          const cursor = requestCursor()
          if (cursor === null) return
          socket.emit(events.resume, cursor)
          resumeTimer.set(responseTimeoutMs, onResponseTimeout)
        }
      })
      socket.on(moderationEvents.messageRemoved, (seqs, { removals }) => {
        apply({ kind: 'removal', removals })
        log.removeMessages(seqs, receiver.cursor?.seq ?? 0)
        onChange()
      })
    },
    disconnected: () => resumeTimer.clear(),
  }
}
