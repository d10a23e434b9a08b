import type { Connection } from '../connection.ts'
import { markerByte, readId } from '../message-text.ts'
import type { DeliveryCounter } from '../delivery-counter.ts'

/**
 * Returns a function that reads the message id of a payload and counts the delivery, or returns false if the payload
 * has no id. All messages of a server have the id at the same offset, so the reader tries the last offset first.
 */
export function createMessageIdReader(deliveries: DeliveryCounter) {
  let markerOffset = -1
  return (connection: Connection, buffer: Uint8Array, start: number, end: number): boolean => {
    let at = start + markerOffset
    if (markerOffset < 0 || at >= end || buffer[at] !== markerByte) {
      at = buffer.indexOf(markerByte, start)
      if (at < 0 || at >= end) return false
      markerOffset = at - start
    }
    deliveries.add(connection.index, readId(buffer, at), connection.receivedAtMs)
    return true
  }
}
