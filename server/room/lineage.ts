import { randomBytes } from 'node:crypto'
import type { Cursor } from '../../contract/messages.ts'
import type { LogRange } from './message-log.ts'

/** Range of the log up to the next term. A term begins at each start or failover of the storage, and with each new epoch. */
export interface Term {
  /**
   * Id of the term: `<token>.<first>.<token of the term before it>`. The token is random, so that an id is never used
   * twice.
   */
  id: string
  /** First seq of the term. */
  first: number
  /** Epoch of the term. An epoch has any number of terms. A new epoch begins when messages were lost, or may have been. */
  epoch: string
}

/**
 * Terms of the retained messages and the current term, oldest first. A log that was rolled back lacks the terms that
 * began after the restored state.
 */
export type Lineage = readonly [Term, ...Term[]]

export interface LogLine extends LogRange {
  lineage: Lineage
}

/** Part of a log that a process has received, or that a record outside the log describes. */
export type KnownLine = Pick<LogLine, 'lineage' | 'head'>

/** Creates a random token. It is short, because a position contains up to three tokens. */
export const randomToken = () => randomBytes(6).toString('base64url')

export const newestTerm = (lineage: Lineage): Term => lineage.at(-1) ?? lineage[0]

function createTerm(first: number, epoch: string, parent?: Term): Term {
  return { id: `${randomToken()}.${first}.${parent?.id.split('.', 1)[0] ?? ''}`, first, epoch }
}

/** Returns the lineage of a log whose earlier terms are unknown: a new log, or a log of an earlier version. */
export const startLineage = (first: number, epoch: string): Lineage => [createTerm(first, epoch)]

/**
 * Returns the lineage with a new term after the head. The id is new even if the newest term is empty, because messages of
 * that term may have been lost. Terms that end before `oldest - 1` are dropped. Empty terms are dropped too, except the
 * first one: clients that joined an empty log hold its id.
 */
export function beginTerm({ lineage, oldest, head }: LogLine, epoch = newestTerm(lineage).epoch): Lineage {
  const [base = lineage[0], ...rest] = lineage.filter((term, index) => {
    const last = lastSeqOf(lineage, index, head)
    return last >= oldest - 1 && (index === 0 || last >= term.first)
  })
  return [base, ...rest, createTerm(head + 1, epoch, rest.at(-1) ?? base)]
}

function lastSeqOf(lineage: Lineage, index: number, head: number): number {
  const next = lineage[index + 1]
  return next === undefined ? head : next.first - 1
}

/** Returns the position of a message, or of a client that has everything up to it. */
export function cursorAt(lineage: Lineage, seq: number): Cursor & { term: string } {
  const term = lineage.findLast(({ first }) => first <= seq) ?? lineage[0]
  return { epoch: newestTerm(lineage).epoch, seq, term: term.id }
}

/** Returns the index of the term of a cursor; -1 if the term is unknown. A cursor without a term counts for its whole epoch. */
function indexOf({ epoch, term }: Cursor, lineage: Lineage): number {
  if (term === undefined) return lineage.findLastIndex((one) => one.epoch === epoch)
  return lineage.findIndex(({ id }) => id === term)
}

/** Returns whether everything up to the cursor is in the log, or was trimmed from it. */
export function isContinuous(cursor: Cursor, { lineage, head }: KnownLine): boolean {
  const index = indexOf(cursor, lineage)
  return index !== -1 && cursor.seq <= lastSeqOf(lineage, index, head)
}

/** Returns whether the log can continue at the cursor without a gap. */
export function canReplayFrom(cursor: Cursor, line: LogLine): boolean {
  return isContinuous(cursor, line) && cursor.seq >= line.oldest - 1
}

/** Returns the seq of the cursor, or the last seq of its term if the term ends earlier; `null` if the term is unknown. */
export function lastSeqUpTo(cursor: Cursor, lineage: Lineage): number | null {
  const index = indexOf(cursor, lineage)
  return index === -1 ? null : Math.min(cursor.seq, lastSeqOf(lineage, index, Number.POSITIVE_INFINITY))
}

/**
 * Returns whether a process that has received this line can determine the start position of a client without reading
 * the log. The process cannot if the client has received more from another process: messages, a newer term, or a newer
 * epoch after a loss.
 */
export function canPlace(cursor: Cursor, { lineage, head }: KnownLine): boolean {
  const isComparable = indexOf(cursor, lineage) !== -1 && lineage.some(({ epoch }) => epoch === cursor.epoch)
  return isComparable && (lastSeqUpTo(cursor, lineage) ?? 0) <= head
}

/** Returns the last seq up to which the client has received the messages that the log holds; -1 if that is unknown. */
function lastSharedSeq(cursor: Cursor, { lineage, head }: KnownLine): number {
  const index = indexOf(cursor, lineage)
  if (index !== -1) return Math.min(cursor.seq, lastSeqOf(lineage, index, head))
  const [, first, parent] = cursor.term?.split('.') ?? []
  const parentIndex = lineage.findIndex(({ id }) => id.split('.', 1)[0] === parent)
  const isRolledBack = parentIndex !== -1 && /^\d{1,16}$/.test(first ?? '')
  return isRolledBack ? Math.min(cursor.seq, Number(first) - 1, lastSeqOf(lineage, parentIndex, head)) : -1
}

/**
 * Returns the seq after which a client continues. Every retained message that the client cannot have received has a
 * later seq. The client recognises a gap by a confirmed position that differs from its cursor.
 */
export function continuationOf(cursor: Cursor, line: LogLine): number {
  const { lineage, oldest, head } = line
  const seq = Math.max(Math.min(lastSharedSeq(cursor, line), head), Math.min(oldest - 1, head))
  const isMistakable = seq === cursor.seq && cursor.epoch === newestTerm(lineage).epoch && !isContinuous(cursor, line)
  return isMistakable && seq > 0 ? seq - 1 : seq
}

/** Returns the last seq that two lines of a log have in common; -1 if they share no term. */
export function lastCommonSeq(known: KnownLine, log: KnownLine): number {
  const index = known.lineage.findLastIndex(({ id }) => log.lineage.some((term) => term.id === id))
  const indexInLog = log.lineage.findIndex(({ id }) => id === known.lineage[index]?.id)
  if (indexInLog === -1) return -1
  return Math.min(lastSeqOf(known.lineage, index, known.head), lastSeqOf(log.lineage, indexInLog, log.head))
}

/**
 * Returns whether the known messages prove a loss for which the log has not begun a new epoch. A line that is older
 * than the retained log proves nothing, and no line proves that nothing is lost.
 */
export function isLossProven(known: KnownLine, log: LogLine): boolean {
  const { epoch } = newestTerm(log.lineage)
  const common = lastCommonSeq(known, log)
  if (common === -1) return known.head >= log.oldest && known.lineage.some((term) => term.epoch === epoch)
  const shared = known.lineage.findLast(({ id }) => log.lineage.some((term) => term.id === id))
  return known.head > common && shared?.epoch === epoch
}
