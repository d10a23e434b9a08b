import { formatPosition } from './history-index.ts'
import type { History, HistoryEvent } from './history.ts'
import type { ReportViolation } from './violations.ts'

type Timed<Type extends HistoryEvent['type']> = Extract<HistoryEvent, { type: Type }> & { at: number }

const eventsOf = <Type extends HistoryEvent['type']>(histories: readonly History[], type: Type) =>
  histories.flatMap(({ events }) => events.filter((event) => event.type === type) as unknown as Timed<Type>[])

/**
 * Returns the histories with the original key and body of each removed message, so that the message counts as delivered
 * or stored.
 */
export function identifyRemoved(histories: readonly History[]): readonly History[] {
  const removing = eventsOf(histories, 'removing')
  if (removing.length === 0) return histories
  const originals = new Map(removing.map((event) => [formatPosition(event), event]))
  // After a restore, another message can have the seq that a moderator chose. Its text is known from its deliveries.
  const removingSeqs = new Set(removing.map(({ seq }) => seq))
  const texts = new Map(
    histories.flatMap(({ events }) =>
      events
        .filter(hasText)
        .filter(({ seq }) => removingSeqs.has(seq))
        .map((event) => [formatPosition(event), event] as const),
    ),
  )
  const unseen = findUnseen(histories, removingSeqs)
  const identify = <Event extends HistoryEvent>(event: Event): Event => {
    if ((event.type !== 'received' && event.type !== 'stored') || event.removed !== true) return event
    const { epoch, seq, term } = event
    if (epoch === undefined || seq === undefined) return event
    const position = formatPosition({ epoch, seq, ...(term !== undefined && { term }) })
    const original = originals.get(position) ?? texts.get(position) ?? unseen.get(seq)
    return original === undefined ? event : { ...event, key: original.key, body: original.body }
  }
  return histories.map(({ name, events }) => ({ name, events: events.map(identify) }))
}

/**
 * Returns the messages at these seqs whose text no client received and the log does not contain, by seq. A moderator can
 * remove a message of a restored log by the seq of a lost message, before any client receives the new message. The
 * acknowledgement identifies the message. Without one, it is the last abandoned message sent before the delivery.
 */
function findUnseen(histories: readonly History[], seqs: ReadonlySet<number>) {
  const sent = new Map(eventsOf(histories, 'sent').map((event) => [event.key, event]))
  const delivered = [...eventsOf(histories, 'received'), ...eventsOf(histories, 'stored')]
  const seen = new Set(delivered.filter(({ removed }) => removed !== true).map(({ key }) => key))
  const sentUnseen = (key: string) => (seen.has(key) ? undefined : sent.get(key))
  const unseen = new Map(
    eventsOf(histories, 'acked').flatMap(({ key, seq }) => {
      const message = sentUnseen(key)
      return seq !== undefined && message !== undefined && seqs.has(seq) ? [[seq, message] as const] : []
    }),
  )
  const abandoned = eventsOf(histories, 'abandoned')
    .flatMap(({ key }) => sentUnseen(key) ?? [])
    .toSorted((a, b) => a.at - b.at)
  for (const { seq, at, removed } of delivered.toSorted((a, b) => a.at - b.at)) {
    if (removed !== true || seq === undefined || !seqs.has(seq) || unseen.has(seq)) continue
    const index = abandoned.findLastIndex((message) => message.at < at)
    const [message] = index < 0 ? [] : abandoned.splice(index, 1)
    if (message !== undefined) unseen.set(seq, message)
  }
  return unseen
}

/**
 * Checks that no client receives a removed text after a reconnect or still shows the text at the end of the run. Also
 * checks that removal numbers never decrease.
 */
export function checkRemovals(histories: readonly History[], isShared: boolean, report: ReportViolation): void {
  const removed = eventsOf(histories, 'removed')
  if (removed.length === 0) return
  const restores = eventsOf(histories, 'restored')
  // A restored backup may contain the text again, and its number of removals is lower.
  const isFinal = (event: Timed<'removed'>) => !restores.some(({ at }) => at >= event.at)
  const removedAt = new Map(removed.filter(isFinal).map((event) => [formatPosition(event), event.at]))
  const masked = new Set(
    eventsOf(histories, 'stored').flatMap((event) => (event.removed ? [formatPosition(event)] : [])),
  )
  for (const { name, events } of histories) {
    if (events[0]?.type !== 'opened' || events[0].role === 'log' || events[0].role === 'server') continue
    const isReturning = events[0].role === 'returning'
    // On a cluster, another node applies a removal a moment later and notifies its clients then.
    if (!isShared) checkReturns(name, events, removedAt, report)
    if (isReturning) checkShown(name, events, masked, report)
    if (isReturning && restores.length === 0) checkNumbers(name, events, report)
  }
}

type Events = History['events']
type Positioned = Extract<Events[number], { type: 'received' }> & { epoch: string; seq: number }

const hasText = (event: Events[number]): event is Positioned =>
  event.type === 'received' && event.removed !== true && event.epoch !== undefined && event.seq !== undefined

/**
 * Checks that a client that was disconnected after the acknowledgement of a removal does not receive the text on a later
 * connection.
 */
function checkReturns(name: string, events: Events, removedAt: Map<string, number>, report: ReportViolation): void {
  let disconnectedAt = -Infinity
  for (const event of events) {
    if (event.type === 'disconnected') disconnectedAt = event.at
    if (!hasText(event)) continue
    const at = removedAt.get(formatPosition(event))
    if (at !== undefined && at < disconnectedAt) report('removedText', name, `${event.key} received`)
  }
}

/** Checks that a notification follows each removed message whose text the client received. */
function checkShown(name: string, events: Events, masked: ReadonlySet<string>, report: ReportViolation): void {
  const shown = new Map<number, string>()
  for (const event of events) {
    if (event.type === 'removal') for (const seq of event.seqs) shown.delete(seq)
    if (hasText(event) && masked.has(formatPosition(event))) shown.set(event.seq, event.key)
  }
  for (const key of shown.values()) report('removedText', name, `${key} shown`)
}

/**
 * Checks that removal numbers never decrease, except at a gap, or at a cursor with the number 0 after a restart of the
 * log. The server then sends all removals again.
 */
function checkNumbers(name: string, events: Events, report: ReportViolation): void {
  let [epoch, last] = ['', 0]
  for (const [index, event] of events.entries()) {
    if (event.type === 'cursor' && event.epoch !== epoch) [epoch, last] = [event.epoch, 0]
    const removals = event.type === 'cursor' || event.type === 'removal' ? event.removals : undefined
    if (removals === undefined) continue
    const isRestart = events[index + 1]?.type === 'gap' || (event.type === 'cursor' && removals === 0)
    if (removals < last && !isRestart) report('removalNumber', name, `${removals} after ${last}`)
    last = removals
  }
}
