import type { RepeatedRejectionCode, SendRejectionCode } from '../../../contract/rejections.ts'

/**
 * Reaction of the page to each rejection. The page sends the message again later, holds all pending messages, or marks
 * the rejected message as refused.
 */
export const reactions: {
  readonly [Code in SendRejectionCode]: Code extends RepeatedRejectionCode ? 'pause' : 'hold' | 'refuse'
} = {
  invalid: 'refuse',
  too_long: 'refuse',
  rate_limited: 'pause',
  id_conflict: 'refuse',
  expired: 'refuse',
  unauthorized: 'hold',
  unavailable: 'pause',
  not_allowed: 'refuse',
}
