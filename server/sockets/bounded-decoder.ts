import { Decoder } from 'socket.io-parser'

/** No event of ours has bytes in it. One piece is enough to be told so; several would be kept until the last has come. */
const maxAttachments = 1
/** There is one namespace. The name of any other comes back in the refusal, and need not be a page long. */
const maxNamespaceCharacters = 64

/** Socket.IO's decoder, which keeps up to ten frames of a packet that is never finished; what it throws ends the connection. */
export class BoundedDecoder extends Decoder {
  constructor() {
    super({ maxAttachments })
  }

  override add(packet: unknown): void {
    if (typeof packet === 'string' && namespaceLength(packet) > maxNamespaceCharacters) {
      throw new Error('the name of the namespace is too long')
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
