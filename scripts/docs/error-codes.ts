import {
  type CallRejectionCode,
  type ConnectRejectionCode,
  connectRejectionCodes,
  type RejectionCode,
  type SendRejectionCode,
  sendRejectionCodes,
} from '../../contract/rejections.ts'
import { statusOf } from '../../server/transport/http/errors.ts'
import { code, table } from './tables.ts'

const sendMeanings: Readonly<Record<SendRejectionCode, readonly [meaning: string, action: string]>> = {
  invalid: ['The payload, the options or the name is not valid.', 'Do not repeat the message.'],
  too_long: ['The text or the name is too long.', 'Let the user shorten it.'],
  rate_limited: [
    'The connection, address or network sends too fast, or slow mode is on.',
    'Repeat the message after `retryAfterMs`.',
  ],
  id_conflict: ['The log holds another text or time under this `id`.', 'Send it under a new `id`.'],
  expired: [
    'The log no longer reaches back to `after`. The server cannot tell whether the message is stored.',
    'Show the message to the user, who decides whether to send it under a new `id`.',
  ],
  unauthorized: ['The login of this connection was revoked.', 'Log in, then repeat the message.'],
  unavailable: [
    'The server cannot store messages, is shutting down or is overloaded.',
    'Repeat the message after `retryAfterMs`.',
  ],
  not_allowed: [
    'A rule of the room, a filtered word, a mute or a ban does not allow the message.',
    'Show the reason. Do not repeat the message before `retryAfterMs`.',
  ],
}

const connectMeanings: Readonly<Record<ConnectRejectionCode, readonly [string, string]>> = {
  invalid: ['`auth` is malformed.', 'Omit fields without a value; do not send `null`.'],
  unauthorized: ['The token is not valid.', 'Log in again, or connect without a token.'],
  unavailable: ['The server cannot check the token now.', 'Connect again later.'],
  rate_limited: ['The address has too many connections or attempts.', 'Connect again after `retryAfterMs`.'],
  banned: [
    'The account or the network is banned.',
    'Do not connect before `retryAfterMs`; without it, the ban is permanent.',
  ],
}

const callMeanings: Readonly<Record<CallRejectionCode, string>> = {
  invalid: 'The request is malformed or a field is not valid.',
  unauthorized: 'The token is missing or not valid.',
  forbidden:
    'The origin is not allowed, the network is banned, or `DELETE /account` has a wrong password or a muted or banned account.',
  not_found: 'The path does not exist.',
  name_taken: 'An account has this name or one that looks like it.',
  email_taken: 'An account has this e-mail address.',
  too_large: 'The body is too large.',
  rate_limited: 'The address sends too many requests. See `Retry-After`.',
  unavailable: 'The server cannot reach its storage, is shutting down or is overloaded.',
  internal: 'The server has a defect.',
}

const rowsOf = <Code extends RejectionCode>(
  codes: readonly Code[],
  meanings: Readonly<Record<Code, readonly [string, string]>>,
) => codes.map((name) => [code(name), ...meanings[name]])

/** Returns the table of error codes of a `send_message` acknowledgement. */
export const sendCodesTable = () =>
  table(['code', 'meaning', 'what the client does'], rowsOf(sendRejectionCodes, sendMeanings))

/** Returns the table of error codes of a `connect_error`. */
export const connectCodesTable = () =>
  table(['code', 'meaning', 'what the client does'], rowsOf(connectRejectionCodes, connectMeanings))

/** Returns the table of error codes of HTTP calls. */
export function callCodesTable(): string {
  const rows = Object.entries(callMeanings).map(([name, meaning]) => [
    code(name),
    String(statusOf[name as CallRejectionCode]),
    meaning,
  ])
  return table(['code', 'status', 'meaning'], rows)
}
