import { type ConnectRefusalCode, connectRefusalCodes } from '../../../contract/refusals.ts'
import { RefusalError } from '../../base/rejection-error.ts'
import type { NoteRefusal } from '../../observe/rejections.ts'

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
export function connectError(error: unknown, onRefused: NoteRefusal): Error {
  const refusal: RefusalError<ConnectRefusalCode> =
    error instanceof RefusalError && error.isOneOf(connectRefusalCodes)
      ? error
      : new RefusalError('unavailable', 'Something went wrong on the server.')
  onRefused(`connect_${refusal.code}`)
  return Object.assign(new Error(refusal.code), { data: refusal.toRefusal() })
}
