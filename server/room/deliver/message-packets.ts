import { events } from '../../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../../contract/messages.ts'
import { removedText } from '../../../contract/constants.ts'
import { cursorAt, type Lineage } from '../lineage.ts'
import { encode, type Encoded, packetOfEncoded, specifiedPacketOfEncoded } from './encoded-packets.ts'

/** Stored message, encoded once for all subscribers. */
export interface EncodedMessage {
  seq: number
  payload: Encoded<ChatMessage>
  /** Packets of the message in both formats. Each is encoded when first needed, once for all pages with the message. */
  positioned?: string
  specified?: string
}

/** Maximum size of a frame without its payload: frame header, event name, epoch, seq and term. */
const maxEnvelopeBytes = 200

export function encodePayload({ username, message, createdTime }: ChatMessage): Encoded<ChatMessage> {
  return encode({ username, message, createdTime })
}

/** Encodes a removed message. The function lists the fields that stay, so that a field added later is dropped. */
export const encodeRemoved = ({ username, createdTime }: ChatMessage): Encoded<ChatMessage> =>
  encodePayload({ username, message: removedText, createdTime })

/** Replaces the texts of removed messages. Returns the same array if it contains none of them. */
export function maskRemoved(
  messages: readonly EncodedMessage[],
  removed: ReadonlySet<number>,
): readonly EncodedMessage[] {
  if (!messages.some(({ seq }) => removed.has(seq))) return messages
  return messages.map((one) =>
    removed.has(one.seq) ? { seq: one.seq, payload: encodeRemoved(JSON.parse(one.payload) as ChatMessage) } : one,
  )
}

/** Returns the maximum size of the frame of a message, in either packet format. */
export const frameBytes = (payload: string): number => Buffer.byteLength(payload) + maxEnvelopeBytes

/** Returns `recive_message(payload, { epoch, seq, term })` packets, for connections that request positions. */
export function positionedPackets(messages: readonly EncodedMessage[], lineage: Lineage): string[] {
  return messages.map((message) => {
    const { seq, payload } = message
    message.positioned ??= packetOfEncoded(events.receiveMessage, payload, encode<Cursor>(cursorAt(lineage, seq)))
    return message.positioned
  })
}

/** Returns `recive_message(payload)` packets, as specified. */
export function specifiedPackets(messages: readonly EncodedMessage[]): string[] {
  return messages.map((message) => {
    message.specified ??= specifiedPacketOfEncoded(events.receiveMessage, message.payload)
    return message.specified
  })
}
