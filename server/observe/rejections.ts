import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server, ServerResponse } from 'node:http'
import type { Report } from './events.ts'
import { reasonOfStatus, type RejectionReason } from './reasons.ts'

const responseFinished = 'http.server.response.finish'

/**
 * Reports the HTTP error responses that are sent as a `ServerResponse` or after an error of the parser. The rejection of an
 * upgrade is neither. Also reports each connection that the server drops at its limit.
 */
export function reportHttpRejections(server: Server, report: Report): { stop: () => void } {
  const reject = (reason: RejectionReason) => report({ type: 'request-rejected', reason })
  function onFinished(message: unknown): void {
    const { response, server: responding } = message as { response: ServerResponse; server: Server }
    if (responding === server && response.statusCode >= 400) reject(reasonOfStatus(response.statusCode))
  }
  subscribe(responseFinished, onFinished)
  server.on('clientError', ({ code }: NodeJS.ErrnoException) => {
    if (code === 'ERR_HTTP_REQUEST_TIMEOUT') reject('http_408')
    else if (code === 'HPE_HEADER_OVERFLOW') reject('http_431')
    else if (code !== 'ECONNRESET') reject('http_400')
  })
  server.on('drop', () => reject('tcp_in_total'))
  return { stop: () => unsubscribe(responseFinished, onFinished) }
}
