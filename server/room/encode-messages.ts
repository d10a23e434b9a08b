import { events } from '../../contract/events.ts'
import { encodePackets, eventPacketOf, type EncodedPackets } from '../fanout/encoded-packets.ts'
import type { StoredMessage } from './message-log.ts'

export function encodeMessages(messages: readonly StoredMessage[], epoch: string): EncodedPackets {
  return encodePackets(
    messages.map(({ seq, message: { username, message, createdTime } }) =>
      eventPacketOf(events.receiveMessage, { username, message, createdTime }, { epoch, seq }),
    ),
  )
}
