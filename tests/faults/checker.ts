import type { Cursor } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'
import { checkLog } from './check-log.ts'
import { checkOrder } from './check-order.ts'
import { checkPositions } from './check-positions.ts'
import { checkLatency } from './check-latency.ts'
import { checkDeliveries } from './check-deliveries.ts'
import type { History } from './history.ts'
import { type Gap, type HistoryIndex, indexHistories } from './history-index.ts'
import { type ReportViolation, createViolationCollector, type CheckResult } from './violations.ts'

interface CheckOptions {
  /** How many messages the log keeps: a gap over fewer is one that it could have bridged. */
  retainedMessages: number
  /** Several nodes share the log: one that slept past the retention goes on at the oldest message, not at the head. */
  isShared?: boolean
}

const retryableCodes: string[] = ['unavailable', 'rate_limited'] satisfies SendRejectionCode[]

/** A place in a shared log is told by a node that may have heard of it so much later. */
const maxNodeLagMs = 5_000

/** Judges a run by its histories, and by nothing else. */
export function checkHistories(
  histories: readonly History[],
  { retainedMessages, isShared = false }: CheckOptions,
): CheckResult {
  const { counts, examples, report } = createViolationCollector()
  const ledger = indexHistories(histories)
  checkDeliveries(ledger, report)
  checkOrder(ledger, report)
  const headAt = headsOf(ledger, histories, isShared ? maxNodeLagMs : 0)
  // What is stored already trims the log, though the place that is told lies before it until it is broadcast.
  const headOf = ({ at, to }: Gap) => Math.max(to.seq, headAt(at))
  checkPositions(ledger, { retainedMessages, headOf, isShared }, report)
  checkLog(ledger, report)
  checkLatency(histories, ledger, report)
  const hasExpired = expiryOf(ledger, headAt, retainedMessages)
  for (const history of histories) checkClientEvents(history, hasExpired, report)

  const all = histories.flatMap(({ events }) => events.map(({ type }) => type))
  return {
    hasViolations: Object.values(counts).some((count) => count > 0),
    sent: ledger.messages.size,
    acked: [...ledger.messages.values()].filter(({ ackedAt }) => ackedAt !== undefined).length,
    delivered: ledger.clients.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    resumes: all.filter((type) => type === 'resume').length,
    gaps: all.filter((type) => type === 'gap').length,
    counts,
    examples,
  }
}

/** Whether so much was said since the place at which a message was first sent that a repeat could not be told. */
function expiryOf({ restoredAt }: HistoryIndex, headAt: (at: number) => number, retainedMessages: number) {
  return (after: Cursor | undefined, refusedAt: number): boolean => {
    if (after === undefined) return false
    if (restoredAt.some((at) => at < refusedAt)) return true
    return headAt(refusedAt) - after.seq > retainedMessages
  }
}

/** How far the log can have come by then. */
function headsOf({ messages }: HistoryIndex, histories: readonly History[], lateMs: number) {
  // A head that nobody was shown is told by the places that clients were given.
  const places = histories.flatMap(({ events }) => events.filter((event) => event.type === 'cursor'))
  return (until: number): number => {
    const sent = [...messages.values()].filter(({ sentAt }) => sentAt <= until)
    const given = places.filter(({ at }) => at <= until + lateMs).map(({ seq }) => seq)
    return Math.max(0, ...given, ...sent.flatMap(({ position, ackedSeqs }) => [position?.seq ?? 0, ...ackedSeqs]))
  }
}

function checkClientEvents(
  { name, events }: History,
  hasExpired: ReturnType<typeof expiryOf>,
  report: ReportViolation,
): void {
  const open = new Set<string>()
  const pressed = new Set<string>()
  const firstAfter = new Map<string, Cursor>()
  const gaps: Between[] = []
  for (const event of events) {
    if (event.type === 'pressed') pressed.add(event.key)
    if (event.type === 'sent') {
      open.add(event.key)
      if (event.after !== undefined && !firstAfter.has(event.key)) firstAfter.set(event.key, event.after)
    }
    if (event.type === 'acked' || event.type === 'abandoned') open.delete(event.key)
    if (event.type === 'refused' && !retryableCodes.includes(event.code)) {
      open.delete(event.key)
      const excused = event.code === 'expired' && hasExpired(firstAfter.get(event.key), event.at)
      if (!excused) report('refused', name, `${event.key}: ${event.code}`)
    }
    if (event.type === 'gap') gaps.push(event)
    // What fell into a gap the client never had, though it comes after all.
    if (event.type === 'dropped' && !gaps.some((gap) => fellInto(gap, event))) report('overlap', name, `${event.seq}`)
    if (event.type === 'resume') report('skipped', name, `after ${event.seq}`)
    if (event.type === 'wrong presence') report('presence', event.watcher, event.differs.join(', '))
    if (event.type === 'crashed') report('crashed', name, event.how)
    if (event.type === 'overdue') report('overdue', name, `${event.tookMs} ms`)
    if ('key' in event && event.type !== 'pressed') pressed.delete(event.key)
  }
  const plain = events[0]?.type === 'opened' && events[0].role === 'plain'
  if (!plain) for (const key of open) report('unsettled', name, key)
  for (const key of pressed) report('vanished', name, key)
}

interface Between {
  from: Cursor
  to: Cursor
}

function fellInto({ from, to }: Between, { epoch, seq }: Cursor): boolean {
  return epoch === to.epoch && seq <= to.seq && (epoch !== from.epoch || seq > from.seq)
}
