import type { IncomingMessage } from 'node:http'
import type { EndMidway } from './end-midway.ts'

/**
 * A body in pieces of one byte takes a hundred times its size in memory until it is complete. A whole body of 64 KiB
 * comes in about fifty pieces over any network.
 */
export const maxBodyChunks = 256

/** Ends the connection of a body in absurdly small pieces. To be called in the turn in which the body begins to be read. */
export function boundBodyChunks(request: IncomingMessage, endMidway: EndMidway): void {
  if (request.method === 'GET' || request.method === 'HEAD') return
  let chunks = 0
  request.on('data', () => {
    if (++chunks > maxBodyChunks) endMidway(request.socket)
  })
}
