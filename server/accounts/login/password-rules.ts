import { maxPasswordBytes } from '../../../contract/limits.ts'
import { RejectionError } from '../../base/rejection-error.ts'

/** Throws if a password cannot be checked. A rule that does not apply to logins belongs in `rejectInvalidNewPassword`. */
export function rejectInvalidPassword(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw new RejectionError('invalid', `The password is longer than ${maxPasswordBytes} bytes.`)
  }
  // UTF-8 encodes every lone surrogate as the same replacement character, so different passwords would match.
  if (!password.isWellFormed()) throw new RejectionError('invalid', 'The password is not valid Unicode text.')
}

/** Throws if an account may not get this password. Existing passwords stay valid. */
export function rejectInvalidNewPassword(password: string): void {
  if (password === '') throw new RejectionError('invalid', 'The password is empty.')
  rejectInvalidPassword(password)
}
