import type { SendRejectionCode } from '../../../contract/rejections.ts'

/** What a rejection does: the message is sent again later, all pending messages are held, or this message is refused. */
export const reactions: Readonly<Record<SendRejectionCode, 'pause' | 'hold' | 'refuse'>> = {
  invalid: 'refuse',
  too_long: 'refuse',
  rate_limited: 'pause',
  id_conflict: 'refuse',
  expired: 'refuse',
  unauthorized: 'hold',
  unavailable: 'pause',
  not_allowed: 'refuse',
}
