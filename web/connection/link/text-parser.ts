/*
 * Encoder and decoder of Socket.IO text packets. The build uses this module in place of `socket.io-parser`, which mostly
 * handles binary attachments. The protocol of the room has none, and the first load has a size budget.
 */

export const protocol = 5

export const PacketType = { CONNECT: 0, DISCONNECT: 1, EVENT: 2, ACK: 3, CONNECT_ERROR: 4 } as const

interface Packet {
  type: number
  nsp: string
  id?: number
  data?: unknown
}

const packetShape = /^([0-4])(?:(\/[^,]*),?)?(\d*)([^]*)$/

export class Encoder {
  encode({ type, nsp, id, data }: Packet): string[] {
    return [`${type}${nsp === '/' ? '' : `${nsp},`}${id ?? ''}${data === undefined ? '' : JSON.stringify(data)}`]
  }
}

export class Decoder {
  #listener: ((packet: Packet) => void) | null = null

  /** Sets the listener. The Socket.IO client uses one event, 'decoded', and one listener at a time. */
  on(_event: string, listener: (packet: Packet) => void) {
    this.#listener = listener
  }

  off() {
    this.#listener = null
  }

  /** Decodes one packet for the listener. Throws on an invalid packet; the client then closes the connection. */
  add(text: string) {
    const [, type, nsp = '/', id, json] = packetShape.exec(text) ?? []
    if (type === undefined) throw new Error('unknown packet')
    const packet: Packet = { type: Number(type), nsp }
    if (id) packet.id = Number(id)
    if (json) packet.data = JSON.parse(json)
    if (!isValid(packet)) throw new Error('invalid payload')
    this.#listener?.(packet)
  }

  destroy() {}
}

function isValid({ type, data }: Packet): boolean {
  switch (type) {
    case PacketType.EVENT:
      return Array.isArray(data) && typeof data[0] === 'string'
    case PacketType.ACK:
      return Array.isArray(data)
    default:
      return data === undefined || typeof data === 'object' || typeof data === 'string'
  }
}
