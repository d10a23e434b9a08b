import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import type { ClientRole, History } from './history.ts'
import type { HistoryIndex } from './history-index.ts'
import { moderationCodes } from './restrictions.ts'
import type { ReportViolation } from './violations.ts'

const maxLatencyMs = 5_000
/** Time to recover after a fault: the ping interval and timeout, which detect a dead connection, and the back-off. */
const recoveryMs = pingIntervalMs + pingTimeoutMs + 2_000
/** Minimum share of sent messages that are acknowledged, per client role. Expected rejections do not count. */
const minAckRatio: Record<ClientRole, number> = { returning: 0.99, plain: 0.5 }
const minSampleSize = 50

interface Interval {
  from: number
  to: number
}

/** Checks that deliveries and acknowledgements arrive in time without a fault, and that enough messages are acknowledged. */
export function checkLatency(histories: readonly History[], index: HistoryIndex, report: ReportViolation): void {
  const serverFaults = histories.filter(({ events }) => isServer(events[0])).flatMap(faultIntervals)
  for (const history of histories) {
    const intervals = faultFreeIntervals(history, [...serverFaults, ...faultIntervals(history)])
    const isFaultFree = (from: number, to: number) => intervals.some((free) => free.from < from && to < free.to)
    checkDeliveryLatency(history, index, isFaultFree, report)
    checkAckLatency(history, isFaultFree, report)
  }
  checkAckRatios(histories, report)
}

const isServer = (first: History['events'][number] | undefined) => first?.type === 'opened' && first.role === 'server'

function faultIntervals({ events }: History): Interval[] {
  const found: Interval[] = []
  for (const event of events) {
    if (event.type !== 'fault') continue
    if (event.isActive) found.push({ from: event.at, to: Infinity })
    else for (const fault of found) fault.to = Math.min(fault.to, event.at + recoveryMs)
  }
  return found
}

/** Returns the intervals in which the client was connected, without the faults and the recovery time after each. */
function faultFreeIntervals({ events }: History, faults: readonly Interval[]): Interval[] {
  const end = events.at(-1)?.at ?? 0
  const connected: Interval[] = []
  let since: number | null = null
  const close = (at: number) => {
    if (since !== null) connected.push({ from: since, to: at })
    since = null
  }
  for (const event of events) {
    if (event.type === 'connected') since ??= event.at
    if (event.type === 'disconnected') close(event.at)
  }
  close(end)
  return faults.reduce(subtract, connected)
}

function subtract(intervals: Interval[], fault: Interval): Interval[] {
  return intervals.flatMap(({ from, to }) => {
    if (fault.to <= from || fault.from >= to) return [{ from, to }]
    return [
      { from, to: fault.from },
      { from: fault.to, to },
    ].filter((rest) => rest.from < rest.to)
  })
}

function checkDeliveryLatency(
  { name, events }: History,
  { messages }: HistoryIndex,
  isFaultFree: (from: number, to: number) => boolean,
  report: ReportViolation,
): void {
  for (const event of events) {
    if (event.type !== 'received') continue
    const ackedAt = messages.get(event.key)?.ackedAt ?? Infinity
    if (event.at - ackedAt > maxLatencyMs && isFaultFree(ackedAt, event.at)) {
      report('late', name, `${event.key} after ${Math.round(event.at - ackedAt)} ms`)
    }
  }
}

function checkAckLatency(
  { name, events }: History,
  isFaultFree: (from: number, to: number) => boolean,
  report: ReportViolation,
): void {
  const sentAtByKey = new Map<string, number>()
  const end = events.at(-1)?.at ?? 0
  const finish = (key: string, at: number) => {
    const sentAt = sentAtByKey.get(key)
    sentAtByKey.delete(key)
    if (sentAt !== undefined && at - sentAt > maxLatencyMs && isFaultFree(sentAt, at)) {
      report('unacknowledged', name, key)
    }
  }
  for (const event of events) {
    if (event.type === 'sent') sentAtByKey.set(event.key, sentAtByKey.get(event.key) ?? event.at)
    if (event.type === 'acked' || event.type === 'rejected' || event.type === 'abandoned') finish(event.key, event.at)
    if (event.type === 'disconnected') sentAtByKey.clear()
  }
  for (const key of sentAtByKey.keys()) finish(key, end)
}

function checkAckRatios(histories: readonly History[], report: ReportViolation): void {
  for (const [role, minRatio] of Object.entries(minAckRatio)) {
    const events = histories
      .filter(({ events: [first] }) => first?.type === 'opened' && first.role === role)
      .flatMap((history) => history.events)
    const countKeys = (type: 'sent' | 'acked') =>
      new Set(events.flatMap((event) => (event.type === type ? [event.key] : []))).size
    // After a restore the server may be unable to distinguish a repeat from a new message, and then rejects the repeat
    // as expired.
    const wasRestored = histories.some((history) => history.events.some(({ type }) => type === 'restored'))
    const wasSlowed = histories.some((history) =>
      history.events.some((event) => event.type === 'restricting' && event.rule === 'slow-mode'),
    )
    const rejectedByRule = [
      ...moderationCodes,
      ...(wasRestored ? ['expired'] : []),
      ...(wasSlowed ? ['rate_limited'] : []),
    ]
    const excused = new Set(
      events.flatMap((event) => (event.type === 'rejected' && rejectedByRule.includes(event.code) ? [event.key] : [])),
    ).size
    const [sent, acked] = [countKeys('sent') - excused, countKeys('acked')]
    if (sent >= minSampleSize && acked < sent * minRatio) report('lowAckRatio', role, `${acked} of ${sent}`)
  }
}
