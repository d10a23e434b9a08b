import type { Cursor } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'
import { checkDeliveries } from './check-deliveries.ts'
import { checkLatency } from './check-latency.ts'
import { checkLog } from './check-log.ts'
import { checkOrder } from './check-order.ts'
import { checkPositions } from './check-positions.ts'
import { checkRemovals, identifyRemoved } from './check-removals.ts'
import { checkRestrictions, type RestrictionFacts } from './check-restrictions.ts'
import type { History } from './history.ts'
import { moderationCodes } from './restrictions.ts'
import { type Gap, type HistoryIndex, indexHistories } from './history-index.ts'
import { type CheckResult, createViolationCollector, type ReportViolation } from './violations.ts'

interface CheckOptions {
  /**
   * Number of messages that the log keeps. A gap is needless if at most this many messages follow its start, unless a
   * restore explains the gap.
   */
  retainedMessages: number
  /** Whether several nodes share the log. A node may then apply a position or a removal later than another node. */
  isShared?: boolean
  /**
   * Times at which restrictions take effect. By default, a change and its end take effect when they are acknowledged.
   */
  restrictionFacts?: RestrictionFacts
}

const retryableCodes: string[] = ['unavailable', 'rate_limited'] satisfies SendRejectionCode[]
const promptRestrictions: RestrictionFacts = {
  isShared: false,
  effectiveAt: (ackedAt) => ackedAt,
  liftedAfterMs: 0,
}

/** Maximum delay until a node has read a position of a shared log. */
const maxNodeLagMs = 5_000

/** Checks a run by its histories alone. */
export function checkHistories(
  recorded: readonly History[],
  { retainedMessages, isShared = false, restrictionFacts = promptRestrictions }: CheckOptions,
): CheckResult {
  const { counts, examples, report } = createViolationCollector()
  const histories = identifyRemoved(recorded)
  const index = indexHistories(histories)
  checkDeliveries(index, report)
  checkOrder(index, report)
  const headAt = createHeadAt(index, histories, isShared ? maxNodeLagMs : 0)
  // A stored message trims the log at once, but the reported cursor is behind that message until the broadcast.
  const headOf = ({ at, to }: Gap) => Math.max(to.seq, headAt(at))
  checkPositions(index, { retainedMessages, headOf }, report)
  checkLog(index, report)
  checkRemovals(recorded, isShared, report)
  checkLatency(histories, index, report)
  const hasExpired = createHasExpired(index, headAt, retainedMessages)
  checkRestrictions(histories, index, restrictionFacts, hasExpired, report)
  for (const history of histories) checkEvents(history, hasExpired, report)

  const types = histories.flatMap(({ events }) => events.map(({ type }) => type))
  return {
    hasViolations: Object.values(counts).some((count) => count > 0),
    sent: index.messages.size,
    acked: [...index.messages.values()].filter(({ ackedAt }) => ackedAt !== undefined).length,
    delivered: index.clients.reduce((sum, { deliveries }) => sum + deliveries.length, 0),
    resumes: types.filter((type) => type === 'resume').length,
    gaps: types.filter((type) => type === 'gap').length,
    counts,
    examples,
  }
}

/**
 * Returns a function that returns whether the server may reject a repeat as expired, because the log may no longer cover
 * its first attempt.
 */
function createHasExpired({ restoredAt }: HistoryIndex, headAt: (at: number) => number, retainedMessages: number) {
  return (after: Cursor | undefined, rejectedAt: number): boolean => {
    if (after === undefined) return false
    if (restoredAt.some((at) => at < rejectedAt)) return true
    return headAt(rejectedAt) - after.seq > retainedMessages
  }
}

/** Returns a function that gives the highest possible head of the log at a time. */
function createHeadAt({ messages, restoredAt }: HistoryIndex, histories: readonly History[], maxLagMs: number) {
  // Cursors also reveal positions of messages that no client received.
  const cursors = histories.flatMap(({ events }) => events.filter((event) => event.type === 'cursor'))
  return (until: number): number => {
    const sent = [...messages.values()].filter(({ sentAt }) => sentAt <= until)
    const cursorSeqs = cursors.filter(({ at }) => at <= until + maxLagMs).map(({ seq }) => seq)
    const sentSeqs = sent.flatMap(({ positions, ackedSeqs }) => [...positions.map(({ seq }) => seq), ...ackedSeqs])
    // The log may have stored messages that a restore lost before any client knew of them.
    const mayBeLost = sent.filter(({ knownAt }) => restoredAt.some((at) => at >= until && at <= knownAt))
    return Math.max(0, ...cursorSeqs, ...sentSeqs) + mayBeLost.length
  }
}

/** Reports the violations that one history shows by itself. */
function checkEvents(
  { name, events }: History,
  hasExpired: ReturnType<typeof createHasExpired>,
  report: ReportViolation,
): void {
  const pending = new Set<string>()
  const pressed = new Set<string>()
  const firstAfter = new Map<string, Cursor>()
  const gaps: CursorRange[] = []
  for (const event of events) {
    if (event.type === 'pressed') pressed.add(event.key)
    if (event.type === 'sent') {
      pending.add(event.key)
      if (event.after !== undefined && !firstAfter.has(event.key)) firstAfter.set(event.key, event.after)
    }
    if (event.type === 'acked' || event.type === 'abandoned') pending.delete(event.key)
    if (event.type === 'rejected' && !retryableCodes.includes(event.code)) {
      pending.delete(event.key)
      const isAllowed = event.code === 'expired' && hasExpired(firstAfter.get(event.key), event.at)
      if (!isAllowed && !moderationCodes.includes(event.code)) report('rejected', name, `${event.key}: ${event.code}`)
    }
    if (event.type === 'gap') gaps.push(event)
    // The client never had the messages of a gap, so a later delivery of such a message is not an overlap.
    if (event.type === 'dropped' && !gaps.some((gap) => isInGap(gap, event))) report('overlap', name, `${event.seq}`)
    if (event.type === 'resume') report('resumeNeeded', name, `after ${event.seq}`)
    if (event.type === 'wrong presence') report('presence', event.observer, event.differences.join(', '))
    if (event.type === 'crashed') report('crashed', name, event.exit)
    if (event.type === 'drain timeout') report('drainTimeout', name, `${event.tookMs} ms`)
    if ('key' in event && event.type !== 'pressed') pressed.delete(event.key)
  }
  const isPlain = events[0]?.type === 'opened' && events[0].role === 'plain'
  if (!isPlain) for (const key of pending) report('pending', name, key)
  for (const key of pressed) report('neverSent', name, key)
}

interface CursorRange {
  from: Cursor
  to: Cursor
}

function isInGap({ from, to }: CursorRange, { epoch, seq }: Cursor): boolean {
  return epoch === to.epoch && seq <= to.seq && (epoch !== from.epoch || seq > from.seq)
}
