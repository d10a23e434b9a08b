import type { IncomingMessage } from 'node:http'
import type { AbortConnection } from '../../fast-path/abort-connection.ts'

/**
 * A body in pieces of one byte takes a hundred times its size in memory until it is complete. A whole body of 64 KiB
 * comes in about fifty pieces over any network.
 */
export const maxBodyChunks = 256

/** Ends the connection of a body in absurdly small pieces, as they arrive: whether they are read yet or wait to be. */
export function boundBodyChunks(request: IncomingMessage, abortConnection: AbortConnection): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  let chunks = 0
  const push = request.push.bind(request)
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (++chunks > maxBodyChunks) abortConnection(request.socket)
    return push(chunk, encoding)
  }
}
