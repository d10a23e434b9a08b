import { Decoder } from 'socket.io-parser'

/** No event has binary data. One attachment lets the server reject the event; more would be buffered until the last. */
const maxAttachments = 1
/** Maximum length of a namespace's name. Socket.IO repeats the name of an unknown namespace in its rejection. */
export const maxNamespaceCharacters = 64
/**
 * Maximum length of a packet that is kept until its attachment arrives or its token is checked. Parsed as JSON, 64 KiB of
 * empty objects take over a megabyte.
 */
export const maxWaitingCharacters = 4_096
const waitingTypes = new Set(['0', '5', '6']) // CONNECT, BINARY_EVENT, BINARY_ACK

/** Socket.IO's decoder with limits for what it buffers. Socket.IO closes the connection when the decoder throws. */
export class BoundedDecoder extends Decoder {
  constructor() {
    super({ maxAttachments })
  }

  override add(packet: unknown): void {
    if (typeof packet === 'string') {
      if (waitingTypes.has(packet.charAt(0)) && packet.length > maxWaitingCharacters) {
        throw new Error('the packet is too long for one that is kept')
      }
      if (namespaceLength(packet) > maxNamespaceCharacters) throw new Error('the name of the namespace is too long')
    }
    super.add(packet)
  }
}

/** Returns 0 for the default namespace, which has no name in the packet. In a binary packet a count precedes the name. */
function namespaceLength(packet: string): number {
  const begin = /^\d(?:\d*-)?(?=\/)/.exec(packet)?.[0].length
  if (begin === undefined) return 0
  const end = packet.indexOf(',', begin)
  return (end < 0 ? packet.length : end) - begin
}
