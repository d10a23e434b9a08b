import type { Cursor } from '../../contract/messages.ts'
import {
  type ClientRecord,
  hadGapBetween,
  type HistoryIndex,
  type MessageRecord,
  wasLostInRestore,
} from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/** Finds lost, duplicate and invented messages, and old messages delivered to a new client. */
export function checkDeliveries(index: HistoryIndex, report: ReportViolation): void {
  const { messages, clients, restoredAt } = index
  /**
   * Returns whether a message may arrive twice. A restore after the first attempt may have lost the message, and the
   * sender then repeats it. A delivery of the first attempt may also arrive after the restore.
   */
  const canBeRepeated = ({ sentAt }: MessageRecord) => restoredAt.some((at) => at >= sentAt)
  for (const client of clients) {
    const seen = new Map<string, number>()
    for (const { key, body, at } of client.deliveries) {
      const message = messages.get(key)
      if (message === undefined || message.body !== body || message.sentAt > at) {
        report('phantom', client.name, key)
      } else if (!hadGapBetween(client, seen.get(key) ?? client.openedAt, at)) {
        const isMoved = client.role === 'plain' && canBeRepeated(message)
        if (seen.has(key) && !isMoved) report('duplicate', client.name, key)
        if (!seen.has(key) && message.knownAt < client.openedAt && !canBeRepeated(message))
          report('replayed', client.name, key)
      }
      seen.set(key, at)
    }
    for (const message of messages.values()) {
      if (seen.has(message.key) || message.knownAt === Infinity || wasLostInRestore(index, message)) continue
      if (!mustReceive(client, message)) continue
      report(message.ackedAt === undefined ? 'partial' : 'lost', client.name, message.key)
    }
  }
}

/**
 * Returns whether the histories prove that the client had to receive the message. `isStored`: the log contains the
 * message.
 */
export function mustReceive(
  client: ClientRecord,
  { key, sentAt, position, positions, ackedSeqs }: MessageRecord,
  isStored = false,
): boolean {
  // A returning client must receive everything after its first cursor, a plain client everything on its last connection.
  // A connection that was cut before it received a cursor has no position to resume from.
  const first = client.sessions.find(({ start }) => start !== undefined) ?? client.sessions[0]
  const session = client.role === 'returning' ? first : client.sessions.at(-1)
  if (session === undefined) return false
  const { start } = session
  // An acknowledgement carries only the sequence number. Only a delivery carries the epoch.
  const isOfEpoch = (epoch: string) => position === undefined || position.epoch === epoch
  const [seq] = position === undefined ? ackedSeqs : [position.seq]
  const isInGap = client.gaps.some(({ at, from, to }) => {
    // A gap into a new epoch covers every message sent before the gap, except messages that the log contains after the end
    // of the gap.
    if (from.epoch !== to.epoch) return sentAt < at && (!isStored || seq === undefined || seq <= to.seq)
    if (seq === undefined) return true
    // The log was rolled back: the client has another message with this seq, or its first cursor is not before this seq.
    const isForked = () => {
      const holdsAnother = client.deliveries.some(
        (other) => other.at < at && other.position?.seq === seq && other.key !== key,
      )
      return !isStored && (holdsAnother || seq <= (start?.seq ?? 0))
    }
    return isOfEpoch(from.epoch) && seq <= to.seq && (seq > from.seq || isForked())
  })
  if (isInGap) return false
  // The send time is independent of what the server reports. The position is more precise.
  if (sentAt > session.since) return true
  const isAfterStart = (one: Cursor) => start !== undefined && one.epoch === start.epoch && one.seq > start.seq
  return positions.length > 0 && positions.every(isAfterStart)
}
