import type { Socket } from 'node:net'
import type { CallRejection } from '../../../../contract/rejections.ts'
import type { Report } from '../../../observe/events.ts'
import type { ProtectionStep } from './protect-server.ts'
import { endSocket } from './raw-rejection.ts'
import { isSocketRequest } from './socket-request.ts'

const timedOut: [number, CallRejection] = [408, { code: 'invalid', message: 'The request took too long to arrive.' }]
const headersTooLarge: [number, CallRejection] = [431, { code: 'too_large', message: 'The headers are too large.' }]
const notHttp: [number, CallRejection] = [400, { code: 'invalid', message: 'This is not a valid HTTP request.' }]

const responses: Readonly<Record<string, [number, CallRejection]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: timedOut,
  HPE_HEADER_OVERFLOW: headersTooLarge,
}

/**
 * Responds to requests that are malformed or time out, in the format of all rejections and without the parser's
 * message.
 */
export function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  endSocket(socket, ...(responses[error.code ?? ''] ?? notHttp))
}

/**
 * Rejects upgrades outside the Socket.IO path. Engine.IO's own check, the option `destroyUpgrade`, is off, because it
 * leaves these upgrades open for a second, without a listener for errors.
 */
export function rejectOtherUpgrades(report: Report): ProtectionStep {
  return {
    onUpgrade(request, socket, _head, next) {
      if (isSocketRequest(request)) return next()
      report({ type: 'request-rejected', reason: 'http_404' })
      endSocket(socket, 404, { code: 'not_found', message: 'There is nothing here.' })
    },
  }
}
