import type { Cursor } from '../../../contract/messages.ts'

/** Position of the page in the log. `awaiting` names the request whose `cursor` response is outstanding. */
export interface Receiver {
  readonly cursor: Cursor | null
  readonly awaiting: 'handshake' | 'resume' | null
  /** Number of removals that the page has applied; `undefined` if the server has not sent such a number. */
  readonly removals?: number | undefined
}

export type ReceiverInput =
  | { kind: 'handshake' }
  | { kind: 'cursor'; cursor: Cursor }
  | { kind: 'message'; position: Cursor | undefined }
  | { kind: 'removal'; removals: number }

export type ReceiverAction = 'none' | 'append' | 'drop' | 'resume' | 'gap'

export interface ReceiverStep {
  readonly receiver: Receiver
  readonly action: ReceiverAction
}

export const initialReceiver: Receiver = { cursor: null, awaiting: null }

/**
 * Returns the next state and the action to take. The input `handshake` means that the page sends the current cursor in
 * a handshake. The action `resume` means: emit `resume` with the cursor of the returned state.
 */
export function reduceReceiver(receiver: Receiver, input: ReceiverInput): ReceiverStep {
  switch (input.kind) {
    case 'handshake':
      return { receiver: { ...receiver, awaiting: 'handshake' }, action: 'none' }
    case 'cursor':
      return handleCursor(receiver, input.cursor)
    case 'message':
      return handleMessage(receiver, input.position)
    case 'removal':
      // A late response to `resume` repeats removals.
      return { receiver: { ...receiver, removals: Math.max(receiver.removals ?? 0, input.removals) }, action: 'none' }
  }
}

// While the page awaits a response, it drops messages, so the held cursor does not move. A different cursor in the
// response is therefore a gap. An earlier cursor is a gap too: the log can have other messages under sequence numbers
// that the page has already received. Another epoch at seq 0 is also a gap: missed messages may be lost.
function handleCursor(receiver: Receiver, { removals, ...cursor }: Cursor): ReceiverStep {
  const held = receiver.cursor
  // An overtaken cursor is from a late response to `resume`: the server has already sent a newer cursor by itself.
  // `handleMessage` drops the messages that the response repeats.
  const isOvertaken = receiver.awaiting === null && held?.epoch === cursor.epoch && cursor.seq < held.seq
  if (isOvertaken) return { receiver, action: 'none' }
  const isContinuous = held === null || (held.epoch === cursor.epoch && held.seq === cursor.seq)
  // Missed removals follow the cursor: the page has not applied them yet. A log that was rolled back has fewer
  // removals.
  const applied = held?.epoch === cursor.epoch ? receiver.removals : undefined
  const known = removals === undefined ? applied : Math.min(applied ?? removals, removals)
  return { receiver: { cursor, awaiting: null, removals: known }, action: isContinuous ? 'none' : 'gap' }
}

function handleMessage(receiver: Receiver, position: Cursor | undefined): ReceiverStep {
  // A server that sends no positions supports no `resume`.
  if (position === undefined) return { receiver, action: 'append' }
  const { cursor, awaiting } = receiver
  // The server sends the message again after the awaited cursor.
  if (awaiting !== null) return { receiver, action: 'drop' }
  const isSameLog = cursor?.epoch === position.epoch
  if (isSameLog && position.seq <= cursor.seq) return { receiver, action: 'drop' }
  if (cursor === null || (isSameLog && position.seq === cursor.seq + 1)) {
    return { receiver: { ...receiver, cursor: position }, action: 'append' }
  }
  return { receiver: { ...receiver, awaiting: 'resume' }, action: 'resume' }
}
