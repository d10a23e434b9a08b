import { events } from '../../contract/events.ts'
import { createParcel, eventPacketOf, type Parcel } from '../fanout/parcel.ts'
import type { StoredMessage } from './message-log.ts'

export function messageParcel(messages: readonly StoredMessage[], epoch: string): Parcel {
  return createParcel(
    messages.map(({ seq, message: { username, message, createdTime } }) =>
      eventPacketOf(events.receiveMessage, { username, message, createdTime }, { epoch, seq }),
    ),
  )
}
