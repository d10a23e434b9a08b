import type { Cursor } from '../../contract/messages.ts'
import type { ClientRecord, Gap, HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

const written = ({ epoch, seq }: Cursor) => `${epoch}:${seq}`

interface Reach {
  retainedMessages: number
  /** Where the log stood when a gap was declared. */
  headOf: (gap: Gap) => number
  isShared: boolean
}

/** Places in the log: one each, the acknowledged one, without a silent gap inside a connection, without a needless one. */
export function checkPositions(ledger: HistoryIndex, reach: Reach, report: ReportViolation): void {
  const keyAt = new Map<string, string>()
  const placeOf = new Map<string, string>()
  for (const { name, deliveries } of ledger.clients) {
    for (const { key, position } of deliveries) {
      if (position === undefined) continue
      const place = written(position)
      const [otherKey, otherPlace] = [keyAt.get(place) ?? key, placeOf.get(key) ?? place]
      if (otherKey !== key) report('mismatch', name, `${otherKey} and ${key} both at ${place}`)
      if (otherPlace !== place) report('mismatch', name, `${key} at ${otherPlace} and at ${place}`)
      keyAt.set(place, otherKey)
      placeOf.set(key, otherPlace)
    }
  }
  for (const { key, sender, position, ackedSeqs } of ledger.messages.values()) {
    const places = new Set(position === undefined ? ackedSeqs : [...ackedSeqs, position.seq])
    if (ackedSeqs.size > 0 && places.size > 1) report('mismatch', sender, `${key} at ${[...places].join(', ')}`)
  }
  for (const client of ledger.clients) {
    checkHoles(client, report)
    checkGaps(client, ledger, reach, report)
  }
}

function checkHoles({ name, role, sessions, deliveries }: ClientRecord, report: ReportViolation): void {
  // A page that returns asks again when it meets a hole: that is charged where it asks.
  if (role === 'returning') return
  let [session, last] = [-1, undefined as Cursor | undefined]
  for (const { key, position, session: current } of deliveries) {
    if (current !== session) last = sessions[current]?.start
    session = current
    if (position !== undefined && last !== undefined && position.seq !== last.seq + 1) {
      report('hole', name, `${key} at ${position.seq} after ${last.seq}`)
    }
    last = position
  }
}

function checkGaps(
  { name, gaps }: ClientRecord,
  { restoredAt, stored }: HistoryIndex,
  { retainedMessages, headOf, isShared }: Reach,
  report: ReportViolation,
): void {
  for (const gap of gaps) {
    const { at, from, to } = gap
    // The log is another one only where it was put back to an older state.
    const wasRestored = restoredAt.some((restored) => restored <= at)
    const otherLog = from.epoch !== to.epoch && wasRestored
    // A node can find messages gone before it finds out that the log is another one.
    const isOver = isShared && stored !== null && stored.every(({ position }) => position.epoch !== from.epoch)
    const goneLog = wasRestored && isOver
    const trimmed = from.epoch === to.epoch && headOf(gap) - from.seq > retainedMessages
    if (!otherLog && !goneLog && !trimmed) report('gap', name, `${written(from)} to ${written(to)}`)
  }
}
