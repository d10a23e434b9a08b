import {
  type ConnectRejectionCode,
  connectRejectionCodes,
  type SendRejectionCode,
  sendRejectionCodes,
} from '../../contract/rejections.ts'

const statuses = [400, 401, 403, 404, 408, 409, 413, 429, 431, 500, 503] as const
type CountedStatus = (typeof statuses)[number]

/**
 * Reasons besides the rejection codes and the counted HTTP statuses. `http_other`: another HTTP status of an error.
 * `event_other`: an event that is neither a message nor an action of a moderator was rejected. `flood`, `cost`: a
 * connection was closed because it, its address or its network sent far too much, or used too much CPU time.
 * `moderate`: an action of a moderator was rejected. `tcp_*`: a new connection was closed, because its address, its
 * network or the server has reached a limit.
 */
const others = ['http_other', 'event_other', 'flood', 'cost', 'moderate', 'tcp_per_address', 'tcp_in_total'] as const

export type RejectionReason =
  | `send_${SendRejectionCode}`
  | `connect_${ConnectRejectionCode}`
  | `http_${CountedStatus}`
  | (typeof others)[number]

/** All values of the label `reason` of `chat_refused_total`, so that the metric exports each of them from the start. */
export const rejectionReasons: readonly RejectionReason[] = [
  ...sendRejectionCodes.map((code) => `send_${code}` as const),
  ...connectRejectionCodes.map((code) => `connect_${code}` as const),
  ...statuses.map((status) => `http_${status}` as const),
  ...others,
]

export function reasonOfStatus(status: number): RejectionReason {
  const counted = statuses.find((known) => known === status)
  return counted === undefined ? 'http_other' : `http_${counted}`
}

/**
 * Setting to check when a limit rejects ordinary users. Some rejections with these reasons have no setting.
 * `send_rate_limited`: those of raid mode, slow mode and CPU time. `http_429`: for example those of the limits of logins,
 * registrations and CPU time. `connect_rate_limited`: those of the penalty after a flood.
 */
export const settingBehind: Readonly<Partial<Record<RejectionReason, string>>> = {
  send_rate_limited: 'MESSAGES_PER_SECOND and MESSAGES_PER_SECOND_PER_IP',
  connect_rate_limited: 'MAX_CONNECTIONS_PER_IP',
  http_429: 'MAX_CONNECTIONS_PER_IP',
  tcp_per_address: 'MAX_CONNECTIONS_PER_IP',
}

/**
 * Reasons why a slow consumer was closed. `unread`: too many unread bytes before another write, or too many unread
 * packets of a polling connection. `unwritable`: the client read no byte for too long.
 */
export const slowConsumerReasons = ['unread', 'unwritable'] as const
export type SlowConsumerReason = (typeof slowConsumerReasons)[number]

/** Reason why an HTTP connection was closed: too many requests at once, or responses that the client does not read. */
export type HttpCloseReason = 'pipelined' | 'unread'
