import { createDatabaseGuard } from '../database-guard.ts'
import { openDatabase } from '../open-database.ts'
import { monotonicMs } from '../thread-messages.ts'
import {
  type AppendOutcome,
  type LogEntry,
  type LogRange,
  type PageLimits,
  type Retention,
  type StoredMessage,
} from '../../../room/message-log.ts'
import { canReplayFrom } from '../../../room/lineage.ts'
import { openLogIdentity } from './log-identity.ts'
import { migrateLog } from './log-schema.ts'
import { prepareLogStatements } from './log-statements.ts'
import { createLogUpkeep } from './log-upkeep.ts'
import { decodeMessage, encodeMessage, encodeSender, type MessageRow } from './message-row.ts'
import type { Removal } from '../../../room/removals.ts'
import { createRemovalStore } from './removal-store.ts'
import { createRetentionClock } from './retention-clock.ts'
import { createSenderQueries } from './sender-queries.ts'

/** Number of messages that even a small append may trim. Trimming in small steps keeps the delay of appends short. */
const minTrimStep = 100
const idleTrimStep = 1_000

type StoredRow = MessageRow & { seq: number; removed: number }

/** Opens the message log in one SQLite file. All calls are synchronous, so it runs in a storage thread. */
export function createSqliteLogStore(file: string, retention: Retention) {
  const database = openDatabase(file)
  migrateLog(database, file)
  const sql = prepareLogStatements(database)
  const { oldest, newest } = sql.bounds.get() ?? {}
  const retained = { oldest: oldest == null ? null : Number(oldest), newest: Number(newest ?? 0) }
  const identity = openLogIdentity(database, file, retained)
  const { lineage } = identity
  const guard = createDatabaseGuard(file)
  const upkeep = createLogUpkeep(database)
  const newestStoredAt = sql.newestStoredAt.get()?.['newest']
  const clock = createRetentionClock(
    { wallMs: () => Date.now(), monotonicMs },
    newestStoredAt == null ? null : Number(newestStoredAt),
  )
  guard.check()
  let range = loadRange()
  let isRangeStale = false

  /** Reads the bounds of the log. The head is never below the newest message, even if it was edited by hand. */
  function loadRange(): LogRange {
    const { oldest, newest } = sql.bounds.get() ?? {}
    const head = Math.max(Number(sql.state.get()?.['head']), Number(newest ?? 0))
    return { head, oldest: oldest == null ? head + 1 : Number(oldest) }
  }

  function guarded<Result>(work: () => Result): Result {
    guard.check()
    try {
      recover()
      return work()
    } catch (error) {
      guard.recordError(error)
      throw error
    }
  }

  function transact<Result>(work: () => Result): Result {
    return guarded(() => {
      identity.retryRecordHead()
      sql.begin.run()
      try {
        const result = work()
        sql.commit.run()
        return result
      } catch (error) {
        isRangeStale = true
        rollBack()
        throw error
      }
    })
  }

  /** Rolls back the transaction immediately, because a failed transaction holds the write lock. */
  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch (error) {
      // The caller must receive the error of the transaction. `recover` repeats the rollback.
      guard.recordError(error)
    }
  }

  /** Rolls back a failed transaction that is still open, and reloads the bounds from the database. */
  function recover(): void {
    if (!isRangeStale) return
    if (database.isTransaction) database.exec('ROLLBACK')
    range = loadRange()
    isRangeStale = false
  }

  function appendOne({ message, sender, id, after }: LogEntry, now: number): AppendOutcome {
    const isCovered = after === null || canReplayFrom(after, { lineage, ...range })
    if (isCovered) {
      const seq = range.head + 1
      if (sql.insert.run(seq, id, now, ...encodeSender(sender), ...encodeMessage(message)).changes === 1) {
        range = { head: seq, oldest: range.oldest }
        return { seq, repeated: false }
      }
    }
    const row = sql.byId.get(id) as StoredRow | undefined
    if (row === undefined) return { rejected: 'expired' }
    const stored = decodeMessage(row)
    const isSameText = stored.message === message.message || row.removed === 1
    const isSameMessage = isSameText && stored.createdTime === message.createdTime
    return isSameMessage ? { seq: row.seq, repeated: true } : { rejected: 'id_conflict' }
  }

  /** Returns the last seq to trim in a step of at most `maxStep` messages, or `null` when the log is within its retention. */
  function findTrimEnd(maxStep: number): number | null {
    if (range.head < range.oldest) return null
    const tooMany = range.head - retention.maxMessages
    const olderThan = clock.trimNow() - retention.maxAgeMs
    const tooOld = Number(sql.lastOlderThan.get(range.oldest, maxStep, olderThan)?.['seq'] ?? 0)
    const upTo = Math.min(Math.max(tooMany, tooOld), range.oldest + maxStep - 1)
    return upTo < range.oldest ? null : upTo
  }

  function trim(upTo: number | null): void {
    if (upTo === null) return
    sql.deleteUpTo.run(upTo)
    range = { head: range.head, oldest: upTo + 1 }
    upkeep.noteDropped()
  }

  const senders = createSenderQueries(sql)
  const removals = createRemovalStore({ sql, transact, nowMs: clock.now, maxAgeMs: retention.maxAgeMs })

  return {
    lineage,
    isNew: identity.isNew,
    isEpochRenewed: identity.isEpochRenewed,
    range: () => range,

    append(entries: readonly LogEntry[]): AppendOutcome[] {
      const outcomes = transact(() => {
        const now = clock.now()
        const outcomes = entries.map((entry) => appendOne(entry, now))
        trim(findTrimEnd(Math.max(minTrimStep, entries.length * 2)))
        sql.setHead.run(range.head)
        return outcomes
      })
      identity.recordHead(range.head)
      upkeep.noteAppended()
      return outcomes
    },

    /** Returns consecutive messages, or `null` as in `MessageLog`. A page ends before a message that was deleted by hand. */
    readAfter(afterSeq: number, { maxMessages, maxCharacters }: PageLimits): StoredMessage[] | null {
      return guarded(() => {
        if (afterSeq < range.oldest - 1 || afterSeq > range.head) return null
        const messages: StoredMessage[] = []
        let characters = 0
        for (const row of sql.after.iterate(afterSeq, maxMessages) as Iterable<unknown> as Iterable<StoredRow>) {
          if (row.seq !== afterSeq + messages.length + 1) break
          const message = decodeMessage(row)
          messages.push({ seq: row.seq, message })
          characters += message.message.length
          if (characters >= maxCharacters) break
        }
        return messages.length === 0 && afterSeq < range.head ? null : messages
      })
    },

    loadRemovals: (): Removal => guarded(() => removals.load()),

    /** Erases the texts of messages from the database, and from the write-ahead log when no reader blocks this. */
    remove(seqs: readonly number[]): Removal {
      const removal = removals.remove(seqs)
      if (removal.seqs.length > 0) upkeep.erase()
      return removal
    },

    /** Runs one of the queries of moderators and operators. */
    query: <Result>(run: (queries: typeof senders) => Result): Result => guarded(() => run(senders)),

    /** Runs periodic maintenance, so that messages expire even when no message is appended. */
    maintain(): void {
      try {
        if (clock.followCorrection()) transact(() => sql.limitStoredAt.run(clock.now()))
        const upTo = guarded(() => findTrimEnd(idleTrimStep))
        if (upTo !== null) transact(() => trim(upTo))
        guarded(() => upkeep.run())
      } catch {
        // Storage is unavailable. The next append or check reports it.
      }
    },

    checkWritable(): void {
      transact(() => sql.probe.run())
    },

    close(): void {
      database.close()
      identity.close()
    },
  }
}
