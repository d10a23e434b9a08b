import { type ClientRecord, formatPosition, hadGapBetween, type HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

/**
 * Checks that all clients receive messages in one order, and that a message follows every message acknowledged before
 * it was sent.
 */
export function checkOrder({ messages, clients, restoredAt }: HistoryIndex, report: ReportViolation): void {
  const movedKeys = findMovedKeys(clients)
  const firstRestoreAt = Math.min(...restoredAt)
  const ordered = clients.map(({ name, deliveries, gaps }) => {
    // After a gap that a restore caused, a client can receive messages from before the gap.
    const isReplayed = (key: string, at: number) =>
      gaps.some((gap) => gap.at >= firstRestoreAt && gap.at <= at && (messages.get(key)?.knownAt ?? at) < gap.at)
    const compared = deliveries.filter(({ key, at }) => !movedKeys.has(key) && !isReplayed(key, at))
    return { name, order: orderOf(compared.map(({ key }) => key)) }
  })
  for (const [index, client] of ordered.entries()) {
    for (const other of ordered.slice(index + 1)) compare(client, other, report)
  }
  for (const client of clients) checkInversions(client, messages, report)
}

/** Returns the keys of messages with several positions: a restore lost the message, and its sender repeated it. */
function findMovedKeys(clients: readonly ClientRecord[]): Set<string> {
  const positions = new Map<string, string>()
  const moved = new Set<string>()
  for (const { key, position } of clients.flatMap(({ deliveries }) => deliveries)) {
    if (position === undefined) continue
    if ((positions.get(key) ?? formatPosition(position)) !== formatPosition(position)) moved.add(key)
    positions.set(key, formatPosition(position))
  }
  return moved
}

/** Rank of each message key by its first occurrence. */
type Order = Map<string, number>

const orderOf = (keys: string[]): Order => new Map([...new Set(keys)].map((key, index) => [key, index]))

interface OrderedClient {
  name: string
  order: Order
}

function compare(client: OrderedClient, other: OrderedClient, report: ReportViolation): void {
  let [previousIndex, previousKey] = [-1, '']
  for (const key of client.order.keys()) {
    const otherIndex = other.order.get(key)
    if (otherIndex === undefined) continue
    if (otherIndex < previousIndex) report('order', `${client.name} and ${other.name}`, `${previousKey} and ${key}`)
    previousIndex = otherIndex
    previousKey = key
  }
}

function checkInversions(client: ClientRecord, messages: HistoryIndex['messages'], report: ReportViolation): void {
  const { name, deliveries } = client
  let latest = { key: '', sentAt: -Infinity }
  let previousAt = -Infinity
  const highestCount = new Map<string, number>()
  const seen = new Set<string>()
  for (const { key, at } of deliveries) {
    // After a gap, the server may send earlier messages.
    if (hadGapBetween(client, previousAt, at)) {
      latest = { key: '', sentAt: -Infinity }
      highestCount.clear()
    }
    previousAt = at
    const message = messages.get(key)
    if (message === undefined || seen.has(key)) continue
    seen.add(key)
    // A sender has one message in flight, so its acknowledged messages keep the order in which it sent them. A message
    // without an acknowledgement may still have been in transit when the sender sent its next message.
    const highestOfSender = highestCount.get(message.sender) ?? -Infinity
    const { ackedAt } = message
    if (ackedAt !== undefined && (ackedAt < latest.sentAt || message.count < highestOfSender)) {
      report('inversion', name, `${key} after ${latest.key}`)
    }
    highestCount.set(message.sender, Math.max(highestOfSender, message.count))
    if (message.sentAt > latest.sentAt) latest = message
  }
}
