import type { ModerationRejectionCode } from '../../contract/moderation.ts'
import { RejectionError } from '../base/rejection-error.ts'

export function rejection(code: ModerationRejectionCode, text: string): RejectionError<ModerationRejectionCode> {
  return new RejectionError(code, text)
}
