import type { Cursor } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'
import { checkLog } from './check-log.ts'
import { checkOrder } from './check-order.ts'
import { checkPositions } from './check-positions.ts'
import { checkPromptness } from './check-promptness.ts'
import { checkReceipts } from './check-receipts.ts'
import type { History } from './history.ts'
import { type Gap, type Ledger, readLedger } from './ledger.ts'
import { type Accuse, createDocket, type Verdict } from './verdict.ts'

interface CheckOptions {
  /** How many messages the log keeps: a gap over fewer is one that it could have bridged. */
  retainedMessages: number
  /** Several nodes share the log: one that slept past the retention goes on at the oldest message, not at the head. */
  isShared?: boolean
}

const worthRepeating: string[] = ['unavailable', 'rate_limited'] satisfies SendRejectionCode[]

/** A place in a shared log is told by a node that may have heard of it so much later. */
const hearsayMs = 5_000

/** Judges a run by its histories, and by nothing else. */
export function checkHistories(
  histories: readonly History[],
  { retainedMessages, isShared = false }: CheckOptions,
): Verdict {
  const { counts, examples, accuse } = createDocket()
  const ledger = readLedger(histories)
  checkReceipts(ledger, accuse)
  checkOrder(ledger, accuse)
  const headAt = headsOf(ledger, histories, isShared ? hearsayMs : 0)
  // What is stored already trims the log, though the place that is told lies before it until it is broadcast.
  const headOf = ({ at, to }: Gap) => Math.max(to.seq, headAt(at))
  checkPositions(ledger, { retainedMessages, headOf, isShared }, accuse)
  checkLog(ledger, accuse)
  checkPromptness(histories, ledger, accuse)
  const hasExpired = expiryOf(ledger, headAt, retainedMessages)
  for (const history of histories) checkConduct(history, hasExpired, accuse)

  const all = histories.flatMap(({ events }) => events.map(({ type }) => type))
  return {
    guilty: Object.values(counts).some((count) => count > 0),
    sent: ledger.messages.size,
    acked: [...ledger.messages.values()].filter(({ ackedAt }) => ackedAt !== undefined).length,
    delivered: ledger.clients.reduce((sum, { receipts }) => sum + receipts.length, 0),
    resumes: all.filter((type) => type === 'resume').length,
    gaps: all.filter((type) => type === 'gap').length,
    counts,
    examples,
  }
}

/** Whether so much was said since the place at which a message was first sent that a repeat could not be told. */
function expiryOf({ restoredAt }: Ledger, headAt: (at: number) => number, retainedMessages: number) {
  return (after: Cursor | undefined, refusedAt: number): boolean => {
    if (after === undefined) return false
    if (restoredAt.some((at) => at < refusedAt)) return true
    return headAt(refusedAt) - after.seq > retainedMessages
  }
}

/** How far the log can have come by then. */
function headsOf({ messages }: Ledger, histories: readonly History[], lateMs: number) {
  // A head that nobody was shown is told by the places that clients were given.
  const places = histories.flatMap(({ events }) => events.filter((event) => event.type === 'cursor'))
  return (until: number): number => {
    const sent = [...messages.values()].filter(({ sentAt }) => sentAt <= until)
    const given = places.filter(({ at }) => at <= until + lateMs).map(({ seq }) => seq)
    return Math.max(0, ...given, ...sent.flatMap(({ place, ackedSeqs }) => [place?.seq ?? 0, ...ackedSeqs]))
  }
}

function checkConduct({ name, events }: History, hasExpired: ReturnType<typeof expiryOf>, accuse: Accuse): void {
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
    if (event.type === 'refused' && !worthRepeating.includes(event.code)) {
      open.delete(event.key)
      const excused = event.code === 'expired' && hasExpired(firstAfter.get(event.key), event.at)
      if (!excused) accuse('refused', name, `${event.key}: ${event.code}`)
    }
    if (event.type === 'gap') gaps.push(event)
    // What fell into a gap the client never had, though it comes after all.
    if (event.type === 'dropped' && !gaps.some((gap) => fellInto(gap, event))) accuse('overlap', name, `${event.seq}`)
    if (event.type === 'resume') accuse('skipped', name, `after ${event.seq}`)
    if (event.type === 'wrong presence') accuse('presence', event.watcher, event.differs.join(', '))
    if (event.type === 'crashed') accuse('crashed', name, event.how)
    if (event.type === 'overdue') accuse('overdue', name, `${event.tookMs} ms`)
    if ('key' in event && event.type !== 'pressed') pressed.delete(event.key)
  }
  const plain = events[0]?.type === 'opened' && events[0].role === 'plain'
  if (!plain) for (const key of open) accuse('unsettled', name, key)
  for (const key of pressed) accuse('vanished', name, key)
}

interface Between {
  from: Cursor
  to: Cursor
}

function fellInto({ from, to }: Between, { epoch, seq }: Cursor): boolean {
  return epoch === to.epoch && seq <= to.seq && (epoch !== from.epoch || seq > from.seq)
}
