import type { ConnectRefusalCode } from '../../contract/refusals.ts'
import { RefusalError } from '../refusal-error.ts'
import type { NoteRefusal } from '../refusals.ts'

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
export function connectError(error: unknown, onRefused: NoteRefusal): Error {
  const refusal =
    error instanceof RefusalError
      ? (error as RefusalError<ConnectRefusalCode>)
      : new RefusalError<ConnectRefusalCode>('unavailable', 'Something went wrong on the server.')
  onRefused(`connect_${refusal.code}`)
  return Object.assign(new Error(refusal.code), { data: refusal.toRefusal() })
}
