import type { ClientRecord, Ledger, MessageRecord } from './ledger.ts'
import type { Accuse } from './verdict.ts'

/** Nothing lost, nothing twice, nothing invented, nothing old for a fresh page. */
export function checkReceipts({ messages, clients }: Ledger, accuse: Accuse): void {
  for (const client of clients) {
    const seen = new Set<string>()
    for (const { key, body, at } of client.receipts) {
      const message = messages.get(key)
      if (message === undefined || message.body !== body || message.sentAt > at) {
        accuse('phantom', client.name, key)
      } else if (seen.has(key)) accuse('doubled', client.name, key)
      else if (message.knownAt < client.openedAt) accuse('replayed', client.name, key)
      seen.add(key)
    }
    for (const message of messages.values()) {
      if (seen.has(message.key) || message.knownAt === Infinity || !isOwed(client, message)) continue
      accuse(message.ackedAt === undefined ? 'torn' : 'lost', client.name, message.key)
    }
  }
}

function isOwed(client: ClientRecord, { sentAt, seq, ackedSeqs }: MessageRecord): boolean {
  // A client that returns is owed everything from its first place on; a plain one, from its last connection on.
  const session = client.role === 'returning' ? client.sessions[0] : client.sessions.at(-1)
  if (session === undefined) return false
  const [acked] = ackedSeqs
  const place = seq ?? acked
  const declared = client.gaps.some(({ from, to }) =>
    place === undefined || from.epoch !== to.epoch ? true : place > from.seq && place <= to.seq,
  )
  if (declared) return false
  // By the clock, which owes nothing to what the server says of places; and by the place, which is finer.
  return sentAt > session.since || (place !== undefined && session.start !== undefined && place > session.start.seq)
}
