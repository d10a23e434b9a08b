import type { Cursor } from '../../contract/messages.ts'
import type { ClientRecord, Gap, HistoryIndex } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

const format = ({ epoch, seq }: Cursor) => `${epoch}:${seq}`

interface LogFacts {
  retainedMessages: number
  /** Returns the head of the log when the server reported the gap. */
  headOf: (gap: Gap) => number
  isShared: boolean
}

/** Checks that each message has one position, that acknowledgements name it, and that gaps are reported and necessary. */
export function checkPositions(index: HistoryIndex, logFacts: LogFacts, report: ReportViolation): void {
  const keyAt = new Map<string, string>()
  const positionOf = new Map<string, string>()
  for (const { name, deliveries } of index.clients) {
    for (const { key, position: cursor } of deliveries) {
      if (cursor === undefined) continue
      const position = format(cursor)
      const [firstKey, firstPosition] = [keyAt.get(position) ?? key, positionOf.get(key) ?? position]
      if (firstKey !== key) report('mismatch', name, `${firstKey} and ${key} both at ${position}`)
      if (firstPosition !== position) report('mismatch', name, `${key} at ${firstPosition} and at ${position}`)
      keyAt.set(position, firstKey)
      positionOf.set(key, firstPosition)
    }
  }
  for (const { key, sender, position, ackedSeqs } of index.messages.values()) {
    const seqs = new Set(position === undefined ? ackedSeqs : [...ackedSeqs, position.seq])
    if (ackedSeqs.size > 0 && seqs.size > 1) report('mismatch', sender, `${key} at ${[...seqs].join(', ')}`)
  }
  for (const client of index.clients) {
    checkSilentGaps(client, report)
    checkNeedlessGaps(client, index, logFacts, report)
  }
}

function checkSilentGaps({ name, role, sessions, deliveries }: ClientRecord, report: ReportViolation): void {
  // A client with a cursor detects the gap and sends `resume`, which counts as `resumeNeeded`.
  if (role === 'returning') return
  let [session, last] = [-1, undefined as Cursor | undefined]
  for (const { key, position, session: current } of deliveries) {
    if (current !== session) last = sessions[current]?.start
    session = current
    if (position !== undefined && last !== undefined && position.seq !== last.seq + 1) {
      report('silentGap', name, `${key} at ${position.seq} after ${last.seq}`)
    }
    last = position
  }
}

function checkNeedlessGaps(
  { name, gaps }: ClientRecord,
  { restoredAt, stored }: HistoryIndex,
  { retainedMessages, headOf, isShared }: LogFacts,
  report: ReportViolation,
): void {
  for (const gap of gaps) {
    const { at, from, to } = gap
    // Only a restore may change the epoch of the log.
    const wasRestored = restoredAt.some((restored) => restored <= at)
    const hasNewEpoch = from.epoch !== to.epoch && wasRestored
    // A node can notice missing messages before it notices the new epoch.
    const isEpochGone = isShared && stored !== null && stored.every(({ position }) => position.epoch !== from.epoch)
    const wasTrimmed = from.epoch === to.epoch && headOf(gap) - from.seq > retainedMessages
    if (!hasNewEpoch && !(wasRestored && isEpochGone) && !wasTrimmed) {
      report('needlessGap', name, `${format(from)} to ${format(to)}`)
    }
  }
}
