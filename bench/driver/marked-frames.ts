import type { Connection } from './connection.ts'
import { markerByte, readId } from './message-text.ts'
import type { Tally } from './tally.ts'

/**
 * Finds the message's number in a payload. Where it stands is the same in every message of a server, so it is looked
 * for once and from then on only checked.
 */
export function createMarkedReader(tally: Tally) {
  let markerOffset = -1
  return (connection: Connection, buffer: Uint8Array, start: number, end: number): boolean => {
    let at = start + markerOffset
    if (markerOffset < 0 || at >= end || buffer[at] !== markerByte) {
      at = buffer.indexOf(markerByte, start)
      if (at < 0 || at >= end) return false
      markerOffset = at - start
    }
    tally.add(connection.index, readId(buffer, at), connection.readAtMs)
    return true
  }
}
