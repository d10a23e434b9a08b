import { type ConnectRejectionCode, connectRejectionCodes } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { NoteRefusal } from '../../observe/rejections.ts'

/** Socket.IO shows the client the error's `message` and `data`: the code, and the words for people. */
export function connectError(error: unknown, onRefused: NoteRefusal): Error {
  const refusal: RejectionError<ConnectRejectionCode> =
    error instanceof RejectionError && error.isOneOf(connectRejectionCodes)
      ? error
      : new RejectionError('unavailable', 'Something went wrong on the server.')
  onRefused(`connect_${refusal.code}`)
  return Object.assign(new Error(refusal.code), { data: refusal.toRejection() })
}
