import type { ClientRecord, HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/** One order for everybody, and it respects what was acknowledged before something else was sent. */
export function checkOrder({ messages, clients }: HistoryIndex, report: ReportViolation): void {
  const orders = clients.map(({ deliveries }) => new Map([...new Set(deliveries.map(({ key }) => key))].map(place)))
  for (const [index, mine] of orders.entries()) {
    for (const [offset, theirs] of orders.slice(index + 1).entries()) {
      compare(clients[index], mine, clients[index + 1 + offset], theirs, report)
    }
  }
  for (const client of clients) checkInversions(client, messages, report)
}

const place = (key: string, index: number): [string, number] => [key, index]

type Order = Map<string, number>

function compare(
  me: ClientRecord | undefined,
  mine: Order,
  them: ClientRecord | undefined,
  theirs: Order,
  report: ReportViolation,
): void {
  let [lastPlace, lastKey] = [-1, '']
  for (const key of mine.keys()) {
    const theirPlace = theirs.get(key)
    if (theirPlace === undefined) continue
    if (theirPlace < lastPlace) report('order', `${me?.name} and ${them?.name}`, `${lastKey} and ${key}`)
    lastPlace = theirPlace
    lastKey = key
  }
}

function checkInversions(
  { name, deliveries }: ClientRecord,
  messages: HistoryIndex['messages'],
  report: ReportViolation,
): void {
  let latest = { key: '', sentAt: -Infinity }
  const highest = new Map<string, number>()
  const seen = new Set<string>()
  for (const { key } of deliveries) {
    const message = messages.get(key)
    if (message === undefined || seen.has(key)) continue
    seen.add(key)
    // A sender has one message in flight, so its acknowledged ones stand in its own order; one that
    // was never acknowledged may have been on its way still when the next was sent.
    const ofSender = highest.get(message.sender) ?? -Infinity
    const { ackedAt } = message
    if (ackedAt !== undefined && (ackedAt < latest.sentAt || message.count < ofSender)) {
      report('inversion', name, `${key} after ${latest.key}`)
    }
    highest.set(message.sender, Math.max(ofSender, message.count))
    if (message.sentAt > latest.sentAt) latest = message
  }
}
