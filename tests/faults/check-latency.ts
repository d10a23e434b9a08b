import { pingIntervalMs, pingTimeoutMs } from '../../contract/limits.ts'
import type { ClientRole, History } from './history.ts'
import type { HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

const lateAfterMs = 5_000
/** What a fault set back takes a while to recover: a dead connection is found, a back-off is sat out. */
const aftermathMs = pingIntervalMs + pingTimeoutMs + 2_000
/** Of all messages that a kind of client sent, those that were acknowledged in the end. */
const leastAcknowledged: Record<ClientRole, number> = { returning: 0.99, plain: 0.5 }
const fewestToJudge = 50

interface Interval {
  from: number
  to: number
}

/** Where nothing was disturbed, nothing is late and nothing stays without an answer. */
export function checkLatency(histories: readonly History[], ledger: HistoryIndex, report: ReportViolation): void {
  const everywhere = histories.filter(({ events }) => isServer(events[0])).flatMap(disturbances)
  for (const history of histories) {
    const calm = calmTimes(history, [...everywhere, ...disturbances(history)])
    const isCalm = (from: number, to: number) => calm.some((time) => time.from < from && to < time.to)
    checkDeliveryLatency(history, ledger, isCalm, report)
    checkAckLatency(history, isCalm, report)
  }
  checkAckRatios(histories, report)
}

const isServer = (first: History['events'][number] | undefined) => first?.type === 'opened' && first.role === 'server'

function disturbances({ events }: History): Interval[] {
  const found: Interval[] = []
  for (const event of events) {
    if (event.type !== 'disturbed') continue
    if (event.now) found.push({ from: event.at, to: Infinity })
    else for (const open of found) open.to = Math.min(open.to, event.at + aftermathMs)
  }
  return found
}

/** While a connection stood and no fault was near. */
function calmTimes({ events }: History, faults: readonly Interval[]): Interval[] {
  const end = events.at(-1)?.at ?? 0
  const calm: Interval[] = []
  let since: number | null = null
  const close = (at: number) => {
    if (since !== null) calm.push({ from: since, to: at })
    since = null
  }
  for (const event of events) {
    if (event.type === 'connected') since ??= event.at
    if (event.type === 'disconnected') close(event.at)
  }
  close(end)
  return faults.reduce(without, calm)
}

function without(times: Interval[], fault: Interval): Interval[] {
  return times.flatMap(({ from, to }) => {
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
  isCalm: (from: number, to: number) => boolean,
  report: ReportViolation,
): void {
  for (const event of events) {
    if (event.type !== 'received') continue
    const storedAt = messages.get(event.key)?.ackedAt ?? Infinity
    if (event.at - storedAt > lateAfterMs && isCalm(storedAt, event.at)) {
      report('late', name, `${event.key} after ${Math.round(event.at - storedAt)} ms`)
    }
  }
}

function checkAckLatency(
  { name, events }: History,
  isCalm: (from: number, to: number) => boolean,
  report: ReportViolation,
): void {
  const waiting = new Map<string, number>()
  const end = events.at(-1)?.at ?? 0
  const judge = (key: string, at: number) => {
    const sentAt = waiting.get(key)
    waiting.delete(key)
    if (sentAt !== undefined && at - sentAt > lateAfterMs && isCalm(sentAt, at)) report('unanswered', name, key)
  }
  for (const event of events) {
    if (event.type === 'sent') waiting.set(event.key, waiting.get(event.key) ?? event.at)
    if (event.type === 'acked' || event.type === 'refused' || event.type === 'abandoned') judge(event.key, event.at)
    if (event.type === 'disconnected') waiting.clear()
  }
  for (const key of waiting.keys()) judge(key, end)
}

function checkAckRatios(histories: readonly History[], report: ReportViolation): void {
  for (const [role, least] of Object.entries(leastAcknowledged)) {
    const events = histories
      .filter(({ events: [first] }) => first?.type === 'opened' && first.role === role)
      .flatMap((history) => history.events)
    const keys = (type: 'sent' | 'acked') =>
      new Set(events.flatMap((event) => (event.type === type ? [event.key] : []))).size
    // A message that lay in a log which was put back could not be told from a new one: it was refused, as it must be.
    const wasRestored = histories.some((history) => history.events.some(({ type }) => type === 'restored'))
    const expired = new Set(
      events.flatMap((event) => (event.type === 'refused' && event.code === 'expired' ? [event.key] : [])),
    ).size
    const [sent, acked] = [keys('sent') - (wasRestored ? expired : 0), keys('acked')]
    if (sent >= fewestToJudge && acked < sent * least) report('starved', role, `${acked} of ${sent}`)
  }
}
