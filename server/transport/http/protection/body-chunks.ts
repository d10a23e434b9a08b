import type { IncomingMessage, ServerResponse } from 'node:http'
import { abortConnection } from '../../fast-path/abort-connection.ts'

/**
 * Maximum number of chunks of a body. Chunks of one byte take a hundred times their size in memory. A body of 64 KiB
 * normally arrives in about fifty chunks.
 */
export const maxBodyChunks = 256

/**
 * Closes the connection when a body has too many chunks. Counts chunks as they arrive, before they are read, and calls
 * `onChunk` for each one.
 */
export function boundBodyChunks(
  request: IncomingMessage,
  response: ServerResponse,
  onChunk: () => void = () => undefined,
): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  let chunks = 0
  const push = request.push.bind(request)
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    onChunk()
    if (++chunks > maxBodyChunks) abortConnection(request.socket)
    return push(chunk, encoding)
  }
  // Node discards the rest of an unread body, uncounted, after its response. A body that is being read is not discarded.
  response.prependListener('finish', () => {
    request.read(0)
    request.resume()
  })
}
