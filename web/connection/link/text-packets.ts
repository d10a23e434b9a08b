/*
 * Encoder and decoder of Engine.IO text packets. The build uses this module in place of `engine.io-parser`, which mostly
 * handles binary packets and WebTransport. The protocol of the room has neither, and the first load has a size budget.
 */

export const protocol = 4

/** Packet types. The index of a type is the digit that starts an encoded packet. */
const types = ['open', 'close', 'ping', 'pong', 'message', 'upgrade', 'noop']
const firstCode = '0'.charCodeAt(0)

interface Packet {
  type: string
  data?: string
}

/** Separator of the packets in one polling payload. */
const separator = '\u001e'

const encode = ({ type, data = '' }: Packet) => types.indexOf(type) + data

export function encodePacket(packet: Packet, _supportsBinary: boolean, callback: (encoded: string) => void) {
  callback(encode(packet))
}

export function encodePayload(packets: readonly Packet[], callback: (encoded: string) => void) {
  callback(packets.map(encode).join(separator))
}

/**
 * Decodes one packet. An invalid or binary packet becomes a packet of type `error`; the client then closes the
 * connection.
 */
export function decodePacket(encoded: string | ArrayBuffer): Packet {
  const type = typeof encoded === 'string' ? types[encoded.charCodeAt(0) - firstCode] : undefined
  if (typeof encoded !== 'string' || type === undefined) return { type: 'error', data: 'parser error' }
  return encoded.length > 1 ? { type, data: encoded.slice(1) } : { type }
}

export const decodePayload = (encoded: string): Packet[] => encoded.split(separator).map(decodePacket)
