import type { ClientRecord, HistoryIndex, MessageRecord } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/** Nothing lost, nothing twice, nothing invented, nothing old for a fresh page. */
export function checkDeliveries({ messages, clients }: HistoryIndex, report: ReportViolation): void {
  for (const client of clients) {
    const seen = new Set<string>()
    for (const { key, body, at } of client.deliveries) {
      const message = messages.get(key)
      if (message === undefined || message.body !== body || message.sentAt > at) {
        report('phantom', client.name, key)
      } else if (seen.has(key)) report('doubled', client.name, key)
      else if (message.knownAt < client.openedAt) report('replayed', client.name, key)
      seen.add(key)
    }
    for (const message of messages.values()) {
      if (seen.has(message.key) || message.knownAt === Infinity || !mustReceive(client, message)) continue
      report(message.ackedAt === undefined ? 'torn' : 'lost', client.name, message.key)
    }
  }
}

/** Whether a client should have been shown a message, by all that the histories tell. */
export function mustReceive(client: ClientRecord, { sentAt, position, ackedSeqs }: MessageRecord): boolean {
  // A client that returns is owed everything from its first place on; a plain one, from its last connection on.
  // Cut before it was told its place, a connection has none to return to.
  const first = client.sessions.find(({ start }) => start !== undefined) ?? client.sessions[0]
  const session = client.role === 'returning' ? first : client.sessions.at(-1)
  if (session === undefined) return false
  const { start } = session
  // An acknowledgement tells the number alone; only a delivery tells of which log.
  const isOf = (epoch: string) => position === undefined || position.epoch === epoch
  const [seq] = position === undefined ? ackedSeqs : [position.seq]
  const declared = client.gaps.some(({ at, from, to }) => {
    // Into another log: what was sent before may lie in the one that is gone.
    if (from.epoch !== to.epoch) return sentAt < at
    return seq === undefined || (isOf(from.epoch) && seq > from.seq && seq <= to.seq)
  })
  if (declared) return false
  // By the clock, which owes nothing to what the server says of places; and by the place, which is finer.
  if (sentAt > session.since) return true
  return seq !== undefined && start !== undefined && position?.epoch === start.epoch && seq > start.seq
}
