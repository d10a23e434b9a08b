import { type Static, Type } from 'typebox'

/**
 * Why a `send_message` was not accepted. `unavailable` is whatever is worth repeating: storage, drain, overload. `unauthorized`
 * (the login is no longer valid) and `not_allowed` (a rule of the room) are part of the wire, and the page is ready for
 * them; this server judges logins at the handshake and has no such rule.
 */
export const sendRejectionCodes = [
  'invalid',
  'too_long',
  'rate_limited',
  'id_conflict',
  'expired',
  'unauthorized',
  'unavailable',
  'not_allowed',
] as const
export type SendRejectionCode = (typeof sendRejectionCodes)[number]

/** Why a connection was not let in: the `message` of Socket.IO's `connect_error`. */
export const connectRejectionCodes = ['invalid', 'unauthorized', 'unavailable', 'rate_limited'] as const
export type ConnectRejectionCode = (typeof connectRejectionCodes)[number]

/** Why an HTTP call was not carried out. */
const callRejectionCodes = [
  'invalid',
  'name_taken',
  'email_taken',
  'unauthorized',
  'forbidden',
  'not_found',
  'too_large',
  'rate_limited',
  'unavailable',
  'internal',
] as const
export type CallRejectionCode = (typeof callRejectionCodes)[number]

export const CallRejection = Type.Object({
  code: Type.Enum([...callRejectionCodes]),
  message: Type.String(),
})
export type CallRejection = Static<typeof CallRejection>

export type RejectionCode = SendRejectionCode | ConnectRejectionCode | CallRejectionCode

/** A refusal on its way to whoever asked; `message` is fit to be shown. */
export interface Rejection<Code extends RejectionCode = RejectionCode> {
  code: Code
  message: string
  retryAfterMs?: number
}
