import { Decoder } from 'socket.io-parser'

/** No event of ours has bytes in it. One piece is enough to be told so; several would be kept until the last has come. */
const maxAttachments = 1
/** There is one namespace. The name of any other comes back in the refusal, and need not be a page long. */
export const maxNamespaceCharacters = 64
/**
 * For a packet that is kept while something else is waited for: its attachment, or the check of the token in it. Read as
 * JSON, 64 KiB of empty objects take over a megabyte.
 */
export const maxWaitingCharacters = 4_096
const waitingTypes = new Set(['0', '5', '6']) // connect, event with attachments, answer with attachments

/** Socket.IO's decoder with bounds for what it keeps; what it throws ends the connection. */
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

/** 0 for the default one, which has no name in the packet; a binary packet counts its attachments before it. */
function namespaceLength(packet: string): number {
  const begin = /^\d(?:\d*-)?(?=\/)/.exec(packet)?.[0].length
  if (begin === undefined) return 0
  const end = packet.indexOf(',', begin)
  return (end < 0 ? packet.length : end) - begin
}
