import type { Cursor } from '../../contract/messages.ts'
import { type ClientRecord, formatPosition, type Gap, type HistoryIndex, wasLostInRestore } from './history-index.ts'
import type { ReportViolation } from './violations.ts'

const format = ({ epoch, seq }: Cursor) => `${epoch}:${seq}`
/**
 * Maximum number of gaps per restore. The server can report the loss when a client returns with a cursor of a lost
 * term, and again when a node detects the loss.
 */
const maxGapsPerRestore = 2

interface LogFacts {
  retainedMessages: number
  /** Returns the head of the log at the time at which the server reported the gap. */
  headOf: (gap: Gap) => number
}

/** Checks that each message has one position, that acknowledgements match it, and that gaps are reported and necessary. */
export function checkPositions(index: HistoryIndex, logFacts: LogFacts, report: ReportViolation): void {
  const keyAt = new Map<string, string>()
  const positionOf = new Map<string, string>()
  for (const { name, deliveries } of index.clients) {
    for (const { key, position: cursor } of deliveries) {
      if (cursor === undefined) continue
      const position = formatPosition(cursor)
      const [firstKey, firstPosition] = [keyAt.get(position) ?? key, positionOf.get(key) ?? position]
      if (firstKey !== key) report('mismatch', name, `${firstKey} and ${key} both at ${position}`)
      // After a restore, a sender repeats a message that was lost.
      if (firstPosition !== position && index.restoredAt.length === 0)
        report('mismatch', name, `${key} at ${firstPosition} and at ${position}`)
      keyAt.set(position, firstKey)
      positionOf.set(key, firstPosition)
    }
  }
  for (const { key, sender, position, ackedSeqs } of index.messages.values()) {
    const seqs = new Set(position === undefined ? ackedSeqs : [...ackedSeqs, position.seq])
    if (ackedSeqs.size > 0 && seqs.size > 1 && index.restoredAt.length === 0)
      report('mismatch', sender, `${key} at ${[...seqs].join(', ')}`)
  }
  for (const client of index.clients) {
    checkSilentGaps(client, report)
    checkNeedlessGaps(client, index, logFacts, report)
    checkUnreportedLoss(client, index, report)
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
  { restoredAt }: HistoryIndex,
  { retainedMessages, headOf }: LogFacts,
  report: ReportViolation,
): void {
  let gapsByRestore = 0
  for (const gap of gaps) {
    const { at, from, to } = gap
    if (from.epoch === to.epoch && headOf(gap) - from.seq > retainedMessages) continue
    gapsByRestore++
    const restores = restoredAt.filter((restored) => restored <= at).length
    if (gapsByRestore > restores * maxGapsPerRestore) report('needlessGap', name, `${format(from)} to ${format(to)}`)
  }
}

/**
 * Checks that the server notifies every returning client that connected before a provable loss. This includes clients
 * that had not received the lost messages.
 */
function checkUnreportedLoss(
  { name, role, sessions, gaps }: ClientRecord,
  index: HistoryIndex,
  report: ReportViolation,
): void {
  const { provableAt, messages, stored } = index
  const wasConnected =
    role === 'returning' && sessions.some(({ since, start }) => start !== undefined && since < (provableAt ?? 0))
  if (provableAt === null || !wasConnected || gaps.some(({ at }) => at > provableAt)) return
  const oldest = Math.min(...(stored ?? []).map(({ position }) => position.seq))
  const lost = [...messages.values()].find((message) => {
    const wasTrimmed = [...message.ackedSeqs].some((seq) => seq < oldest)
    return (message.ackedAt ?? Infinity) < provableAt && !wasTrimmed && wasLostInRestore(index, message)
  })
  if (lost !== undefined) report('unreportedLoss', name, lost.key)
}
