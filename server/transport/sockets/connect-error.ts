import { type ConnectRejectionCode, connectRejectionCodes } from '../../../contract/rejections.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import type { Report } from '../../observe/events.ts'

/** Creates the error of a rejected connection. Socket.IO sends its `message` (the code) and `data` to the client. */
export function connectError(error: unknown, report: Report): Error {
  const rejection: RejectionError<ConnectRejectionCode> =
    error instanceof RejectionError && error.isOneOf(connectRejectionCodes)
      ? error
      : new RejectionError('unavailable', 'Something went wrong on the server.')
  report({ type: 'request-rejected', reason: `connect_${rejection.code}` })
  return Object.assign(new Error(rejection.code), { data: rejection.toRejection() })
}
