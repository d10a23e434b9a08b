import { type Static, Type } from 'typebox'

/**
 * Reasons why the server rejects a `send_message`. `unavailable` covers every temporary failure of the server: storage,
 * shutdown, overload. `unauthorized` means that the login was revoked after the handshake. `not_allowed` means a rule
 * of the room other than slow mode, a filtered word, a mute or a ban. Slow mode causes `rate_limited`.
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

/**
 * Codes after which the page repeats the message by itself. A rejection with such a code must contain `retryAfterMs`:
 * without it, the page repeats the message every few seconds.
 */
export type RepeatedRejectionCode = 'rate_limited' | 'unavailable'

/** Reasons why the server rejects a connection: the `message` of Socket.IO's `connect_error`. */
export const connectRejectionCodes = ['invalid', 'unauthorized', 'unavailable', 'rate_limited', 'banned'] as const
export type ConnectRejectionCode = (typeof connectRejectionCodes)[number]

/** Reasons why the server rejects an HTTP call. */
export const callRejectionCodes = [
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

/** Rejection as the server sends it to the client. `message` is a text for the user. */
export interface Rejection<Code extends RejectionCode = RejectionCode> {
  code: Code
  message: string
  retryAfterMs?: number
}
