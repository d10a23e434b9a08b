import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { CallRejection } from '../../../../contract/rejections.ts'
import { socketPath } from '../../../../contract/routes.ts'
import { endSocket } from './raw-rejection.ts'

const timedOut: [number, CallRejection] = [408, { code: 'invalid', message: 'The request took too long to arrive.' }]
const headersTooLarge: [number, CallRejection] = [431, { code: 'too_large', message: 'The headers are too large.' }]
const notHttp: [number, CallRejection] = [400, { code: 'invalid', message: 'This is not a valid HTTP request.' }]

const answers: Readonly<Record<string, [number, CallRejection]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: timedOut,
  HPE_HEADER_OVERFLOW: headersTooLarge,
}

/** What Node's parser could not read is answered like every other refusal; its own words stay inside. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  endSocket(socket, ...(answers[error.code ?? ''] ?? notHttp))
}

/** Engine.IO would leave an upgrade elsewhere open for a second, with nobody to notice when its peer goes away. */
export function refuseOtherUpgrades(server: Server): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    if (request.url?.startsWith(socketPath)) return
    endSocket(socket, 404, { code: 'not_found', message: 'There is nothing here.' })
  })
}
