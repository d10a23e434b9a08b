import type { Socket } from 'node:net'

/** What is used here of Node's HTTP parser, beyond what it documents. */
interface ParserInternals {
  onIncoming?: unknown
  incoming?: unknown
}

/** Node's parser takes it for a change of protocol, and looks no further. */
const nothingMoreToParse = () => 2

/**
 * Ends a connection in the middle of what it has sent. Destroying the socket does not keep Node's parser from going on
 * through all that the last read has brought: 75 ms for 2,400 requests, 30 ms for the 11,000 pieces of a body. Where an
 * update has renamed this, that time is lost again, and nothing else.
 */
export function endMidway(socket: Socket & { parser?: ParserInternals | null }): void {
  const { parser } = socket
  if (parser?.onIncoming !== undefined) parser.onIncoming = nothingMoreToParse
  if (parser?.incoming !== undefined) parser.incoming = null
  socket.destroy()
}
