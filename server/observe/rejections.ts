import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import {
  type ConnectRejectionCode,
  connectRejectionCodes,
  type SendRejectionCode,
  sendRejectionCodes,
} from '../../contract/rejections.ts'
import { socketPath } from '../../contract/routes.ts'
import { createSparseWarning } from './throttled-warning.ts'

const statuses = [400, 401, 403, 404, 408, 409, 413, 429, 431, 500, 503] as const
type CountedStatus = (typeof statuses)[number]

/** `flood`: ended for far too many packets. `tcp_*`: not even accepted, for one address or all of them. */
const others = ['http_other', 'flood', 'tcp_per_address', 'tcp_in_total'] as const

export type RefusalReason =
  | `send_${SendRejectionCode}`
  | `connect_${ConnectRejectionCode}`
  | `http_${CountedStatus}`
  | (typeof others)[number]

/** All that `chat_refused_total` can say, so that each is there from the start. */
export const refusalReasons: readonly RefusalReason[] = [
  ...sendRejectionCodes.map((code) => `send_${code}` as const),
  ...connectRejectionCodes.map((code) => `connect_${code}` as const),
  ...statuses.map((status) => `http_${status}` as const),
  ...others,
]

export type NoteRefusal = (reason: RefusalReason) => void

/** What a limit brings about, with the setting to look at when it hits ordinary visitors. */
const settingBehind = new Map<RefusalReason, string>([
  ['send_rate_limited', 'MESSAGES_PER_SECOND'],
  ['connect_rate_limited', 'MAX_CONNECTIONS_PER_IP'],
  ['http_429', 'MAX_CONNECTIONS_PER_IP'],
  ['flood', 'MESSAGES_PER_SECOND'],
  ['tcp_per_address', 'MAX_CONNECTIONS_PER_IP'],
])

/** Every refusal is counted; those that a limit brought about are told too, once a minute at most. */
export function createRefusals(count: NoteRefusal, log: Logger): NoteRefusal {
  const warnings = new Map<RefusalReason, (reason: RefusalReason) => void>()
  const create = (setting: string) =>
    createSparseWarning((reason: RefusalReason, refused: number) =>
      log.warn({ reason, refused }, `limits refuse somebody; if these are ordinary visitors, see ${setting}`),
    )
  for (const [reason, setting] of settingBehind) warnings.set(reason, create(setting))
  const full = createSparseWarning((reason: RefusalReason, refused: number) =>
    log.error({ reason, refused }, 'connections are refused: the limit of open files (ulimit -n) is reached'),
  )
  warnings.set('tcp_in_total', full)
  return (reason) => {
    count(reason)
    warnings.get(reason)?.(reason)
  }
}

const finished = 'http.server.response.finish'

/** Counts what the HTTP server answers with an error, whoever answers: Fastify, Engine.IO, or the parser. */
export function countHttpRefusals(server: Server, note: NoteRefusal): { stop: () => void } {
  function onFinished(message: unknown): void {
    const { response, server: answering } = message as { response: ServerResponse; server: Server }
    if (answering === server && response.statusCode >= 400) note(reasonOf(response.statusCode))
  }
  subscribe(finished, onFinished)
  server.on('clientError', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') note('http_408')
    else if (code === 'HPE_HEADER_OVERFLOW') note('http_431')
    else if (code !== 'ECONNRESET') note('http_400')
  })
  server.on('upgrade', (request: IncomingMessage) => {
    if (request.url?.startsWith(socketPath) !== true) note('http_404')
  })
  server.on('drop', () => note('tcp_in_total'))
  return { stop: () => unsubscribe(finished, onFinished) }
}

export function reasonOf(status: number): RefusalReason {
  const counted = statuses.find((known) => known === status)
  return counted === undefined ? 'http_other' : `http_${counted}`
}
