import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CallRejection, CallRejectionCode } from '../../../../contract/rejections.ts'
import type { RejectionError } from '../../../base/rejection-error.ts'
import { retryAfterSeconds, statusOf } from '../errors.ts'
import { nodeHttp } from '../node-http.ts'

/** Security headers of responses that Fastify does not send. */
export const securityHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const

/** Rejects a request outside of Fastify. An upgrade has no response object, only its socket. */
export function rejectRaw(
  request: IncomingMessage,
  response: unknown,
  rejection: RejectionError<CallRejectionCode>,
): void {
  const { code, message, retryAfterMs } = rejection
  const status = statusOf[code]
  const retryAfter = retryAfterMs === undefined ? {} : { 'Retry-After': retryAfterSeconds(retryAfterMs) }
  if (response instanceof nodeHttp.ServerResponse) {
    const body = bodyOf({ code, message })
    response.writeHead(status, { ...jsonHeaders(body), ...retryAfter, ...securityHeaders }).end(body)
  } else endSocket(request.socket, status, { code, message }, retryAfter)
}

/** Writes an HTTP response to a socket that the HTTP server no longer uses, and closes it. */
export function endSocket(
  socket: Duplex,
  status: number,
  rejection: CallRejection,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  // The peer may have closed the connection, and no other module listens for errors on this socket.
  socket.on('error', () => socket.destroy())
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(preparedRejection(status, rejection, headers), () => socket.destroy())
}

/** Returns the bytes of a complete response that closes the connection. */
export function preparedRejection(
  status: number,
  rejection: CallRejection,
  headers: Readonly<Record<string, string | number>> = {},
): Buffer {
  const body = bodyOf(rejection)
  const lines = Object.entries({ ...jsonHeaders(body), ...headers, ...securityHeaders, Connection: 'close' })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.from(`HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}\r\n${head}\r\n${body}`)
}

function bodyOf(rejection: CallRejection): string {
  return JSON.stringify(rejection)
}

function jsonHeaders(body: string) {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  }
}
