import { events } from '../../../contract/events.ts'
import type { ChatMessage, Cursor } from '../../../contract/messages.ts'
import { encode, type Encoded, packetOfEncoded, specifiedPacketOfEncoded } from './encoded-packets.ts'

/** A stored message on its way out: encoded once, when it came in. */
export interface EncodedMessage {
  seq: number
  payload: Encoded<ChatMessage>
}

/** Around the payload of the longer kind: a frame's header, the event's name, epoch and seq. */
const maxEnvelopeBytes = 160

export function encodePayload({ username, message, createdTime }: ChatMessage): Encoded<ChatMessage> {
  return encode({ username, message, createdTime })
}

/** What the message takes as a frame of either kind, at most. */
export const frameBytes = (payload: string): number => Buffer.byteLength(payload) + maxEnvelopeBytes

/** `recive_message(payload, { epoch, seq })`, for connections that asked for positions. */
export function positionedPackets(messages: readonly EncodedMessage[], epoch: string): string[] {
  return messages.map(({ seq, payload }) =>
    packetOfEncoded(events.receiveMessage, payload, encode<Cursor>({ epoch, seq })),
  )
}

/** `recive_message(payload)`, as the specification has it. */
export function specifiedPackets(messages: readonly EncodedMessage[]): string[] {
  return messages.map(({ payload }) => specifiedPacketOfEncoded(events.receiveMessage, payload))
}
