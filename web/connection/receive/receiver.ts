import type { Cursor } from '../../../contract/messages.ts'

/** Where the page stands in the log, and whose answering `cursor` it waits for. */
export interface Reception {
  readonly cursor: Cursor | null
  readonly awaiting: 'handshake' | 'resume' | null
}

export type ReceptionInput =
  | { kind: 'handshake' }
  | { kind: 'cursor'; cursor: Cursor }
  | { kind: 'message'; position: Cursor | undefined }

export type ReceptionTask = 'nothing' | 'append' | 'drop' | 'ask' | 'gap'

export interface ReceptionStep {
  readonly reception: Reception
  readonly task: ReceptionTask
}

export const freshReception: Reception = { cursor: null, awaiting: null }

/**
 * What to do with what arrived. `handshake` says that the cursor held just now was named to the server;
 * `ask` is answered by emitting `resume` with the cursor of the reception that is returned.
 */
export function receive(reception: Reception, input: ReceptionInput): ReceptionStep {
  switch (input.kind) {
    case 'handshake':
      return { reception: { ...reception, awaiting: 'handshake' }, task: 'nothing' }
    case 'cursor':
      return confirmed(reception, input.cursor)
    case 'message':
      return arrived(reception, input.position)
  }
}

// The cursor held cannot have moved since it was asked for, because nothing is taken while an answer is awaited. So a
// cursor that differs is a gap, also one that points back: the log then holds other messages under numbers already seen.
// But where nothing had been said before, and nothing has been said since, there is nothing that could have been missed.
function confirmed(reception: Reception, cursor: Cursor): ReceptionStep {
  const held = reception.cursor
  // The answer to a question that was overtaken by a word of the server's own: what it brings again is dropped.
  const isOvertaken = reception.awaiting === null && held?.epoch === cursor.epoch && cursor.seq < held.seq
  if (isOvertaken) return { reception, task: 'nothing' }
  const nothingSaid = held?.seq === 0 && cursor.seq === 0
  const continues = held === null || nothingSaid || (held.epoch === cursor.epoch && held.seq === cursor.seq)
  return { reception: { cursor, awaiting: null }, task: continues ? 'nothing' : 'gap' }
}

function arrived(reception: Reception, position: Cursor | undefined): ReceptionStep {
  // A server that numbers nothing can be asked for nothing.
  if (position === undefined) return { reception, task: 'append' }
  const { cursor, awaiting } = reception
  // It comes again behind the answer.
  if (awaiting !== null) return { reception, task: 'drop' }
  const sameLog = cursor?.epoch === position.epoch
  if (sameLog && position.seq <= cursor.seq) return { reception, task: 'drop' }
  if (cursor === null || (sameLog && position.seq === cursor.seq + 1)) {
    return { reception: { cursor: position, awaiting: null }, task: 'append' }
  }
  return { reception: { cursor, awaiting: 'resume' }, task: 'ask' }
}
