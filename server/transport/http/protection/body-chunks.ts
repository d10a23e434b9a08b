import type { IncomingMessage, ServerResponse } from 'node:http'
import { monotonicMs } from '../../../base/monotonic-ms.ts'
import { abortConnection } from '../../fast-path/abort-connection.ts'

/** Number of chunks that a body may have, whatever their size. */
export const freeBodyChunks = 16
/**
 * Number of bytes that allow one more chunk. A network packet carries more. Each chunk takes time to parse, and chunks of
 * one byte take a hundred times their size in memory.
 */
export const bytesPerBodyChunk = 512
/** Number of further chunks that each second of the transfer allows. A body that takes too long gets 408. */
export const bodyChunksPerSecond = 2

/** Returns the maximum number of chunks for a body of which `bytes` have arrived in `elapsedMs`. */
export const maxBodyChunks = (bytes: number, elapsedMs = 0): number =>
  freeBodyChunks + Math.floor(bytes / bytesPerBodyChunk) + Math.floor((elapsedMs * bodyChunksPerSecond) / 1_000)

/**
 * Closes the connection when a body has too many chunks. Counts chunks as they arrive, before they are read, and calls
 * `onChunk` for each one. The end of the body counts as a chunk.
 */
export function boundBodyChunks(
  request: IncomingMessage,
  response: ServerResponse,
  onChunk: () => void = () => undefined,
): void {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && headers['content-length'] === undefined) return
  const startedAtMs = monotonicMs()
  let [chunks, bytes] = [0, 0]
  const push = request.push.bind(request)
  request.push = (chunk: unknown, encoding?: BufferEncoding) => {
    onChunk()
    chunks++
    bytes += Buffer.isBuffer(chunk) ? chunk.length : 0
    if (chunks > maxBodyChunks(bytes, monotonicMs() - startedAtMs)) abortConnection(request.socket)
    return push(chunk, encoding)
  }
  // Read the rest of an unread body. Otherwise, Node would discard it after the response, and the chunks would not be
  // counted.
  response.prependListener('finish', () => {
    request.read(0)
    request.resume()
  })
}
