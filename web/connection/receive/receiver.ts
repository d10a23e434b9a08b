import type { Cursor } from '../../../contract/messages.ts'

/** Where the page stands in the log, and whose answering `cursor` it waits for. */
export interface Receiver {
  readonly cursor: Cursor | null
  readonly awaiting: 'handshake' | 'resume' | null
}

export type ReceiverInput =
  | { kind: 'handshake' }
  | { kind: 'cursor'; cursor: Cursor }
  | { kind: 'message'; position: Cursor | undefined }

export type ReceiverAction = 'nothing' | 'append' | 'drop' | 'ask' | 'gap'

export interface ReceiverStep {
  readonly receiver: Receiver
  readonly action: ReceiverAction
}

export const initialReceiver: Receiver = { cursor: null, awaiting: null }

/**
 * What to do with what arrived. `handshake` says that the cursor held just now was named to the server;
 * `ask` is answered by emitting `resume` with the cursor of the receiver that is returned.
 */
export function reduceReceiver(receiver: Receiver, input: ReceiverInput): ReceiverStep {
  switch (input.kind) {
    case 'handshake':
      return { receiver: { ...receiver, awaiting: 'handshake' }, action: 'nothing' }
    case 'cursor':
      return handleCursor(receiver, input.cursor)
    case 'message':
      return handleMessage(receiver, input.position)
  }
}

// The cursor held cannot have moved since it was asked for, because nothing is taken while an answer is awaited. So a
// cursor that differs is a gap, also one that points back: the log then holds other messages under numbers already seen.
// But where nothing had been said before, and nothing has been said since, there is nothing that could have been missed.
function handleCursor(receiver: Receiver, cursor: Cursor): ReceiverStep {
  const held = receiver.cursor
  // The answer to a question that was overtaken by a word of the server's own: what it brings again is dropped.
  const isOvertaken = receiver.awaiting === null && held?.epoch === cursor.epoch && cursor.seq < held.seq
  if (isOvertaken) return { receiver, action: 'nothing' }
  const nothingSaid = held?.seq === 0 && cursor.seq === 0
  const continues = held === null || nothingSaid || (held.epoch === cursor.epoch && held.seq === cursor.seq)
  return { receiver: { cursor, awaiting: null }, action: continues ? 'nothing' : 'gap' }
}

function handleMessage(receiver: Receiver, position: Cursor | undefined): ReceiverStep {
  // A server that numbers nothing can be asked for nothing.
  if (position === undefined) return { receiver, action: 'append' }
  const { cursor, awaiting } = receiver
  // It comes again behind the answer.
  if (awaiting !== null) return { receiver, action: 'drop' }
  const sameLog = cursor?.epoch === position.epoch
  if (sameLog && position.seq <= cursor.seq) return { receiver, action: 'drop' }
  if (cursor === null || (sameLog && position.seq === cursor.seq + 1)) {
    return { receiver: { cursor: position, awaiting: null }, action: 'append' }
  }
  return { receiver: { cursor, awaiting: 'resume' }, action: 'ask' }
}
