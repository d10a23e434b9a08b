import { Decoder } from 'socket.io-parser'
import { isTooComplex } from '../../base/json-size.ts'

/**
 * Maximum number of attachments of a packet. No event has binary data. With one attachment allowed, the server can
 * reject the event instead of closing the connection. With a higher maximum, the decoder would buffer all attachments
 * until the last one arrives.
 */
const maxAttachments = 1
/** Maximum length of a namespace's name. Socket.IO repeats the name of an unknown namespace in its rejection. */
export const maxNamespaceCharacters = 64
/**
 * Maximum length of a packet that the server keeps until its attachment arrives or its token is checked. Parsed as
 * JSON, 64 KiB of empty objects take over a megabyte.
 */
export const maxWaitingCharacters = 4_096
const waitingTypes = new Set(['0', '5', '6']) // CONNECT, BINARY_EVENT, BINARY_ACK
/** Start of an event of the default namespace, up to its first argument. */
const eventStart = /^2\d{0,16}\["[\w-]{1,64}",/
/** Argument that no event accepts. */
const invalidArgument = 'false]'

/** Functions that measure the decoding of each packet. */
export interface DecodingCost {
  /** Returns the time at which the decoding starts. */
  start: () => number
  chargeDecoding: (startedMs: number) => void
}

/**
 * Socket.IO's decoder with limits for what it buffers and parses. Socket.IO closes the connection when the decoder
 * throws.
 */
export class BoundedDecoder extends Decoder {
  readonly #cost: DecodingCost

  constructor(cost: DecodingCost) {
    super({ maxAttachments })
    this.#cost = cost
  }

  override add(packet: unknown): void {
    const startedMs = this.#cost.start()
    try {
      this.#addBounded(packet)
    } finally {
      this.#cost.chargeDecoding(startedMs)
    }
  }

  #addBounded(packet: unknown): void {
    if (typeof packet === 'string') {
      if (waitingTypes.has(packet.charAt(0)) && packet.length > maxWaitingCharacters) {
        throw new Error('the packet is too long to wait for an attachment or a token check')
      }
      const [begin, end] = namespaceOf(packet)
      if (end - begin > maxNamespaceCharacters) throw new Error('the name of the namespace is too long')
      if (isTooComplex(packet, end)) return super.add(withoutArguments(packet))
    }
    super.add(packet)
  }
}

/** Returns the event with one invalid argument, so that its handler rejects it. Throws if `eventStart` does not match. */
function withoutArguments(packet: string): string {
  const start = eventStart.exec(packet)?.[0]
  if (start === undefined) throw new Error('the packet is nested too deeply or has too many values')
  return start + invalidArgument
}

/**
 * Returns where the name of the namespace begins and ends. The range is empty if the packet contains no name, which
 * means the default namespace. In a binary packet, a count precedes the name.
 */
function namespaceOf(packet: string): [begin: number, end: number] {
  const begin = /^\d(?:\d*-)?(?=\/)/.exec(packet)?.[0].length
  if (begin === undefined) return [0, 0]
  const end = packet.indexOf(',', begin)
  return [begin, end < 0 ? packet.length : end]
}
