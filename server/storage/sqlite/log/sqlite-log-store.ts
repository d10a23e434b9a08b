import { createDatabaseGuard } from '../database-guard.ts'
import { openDatabase } from '../open-database.ts'
import { monotonicMs } from '../thread-messages.ts'
import {
  type AppendOutcome,
  type LogEntry,
  type LogRange,
  type ReadPage,
  reachesBackTo,
  type Retention,
  type StoredMessage,
} from '../../../room/message-log.ts'
import { openLogIdentity } from './log-identity.ts'
import { migrateLog } from './log-schema.ts'
import { prepareLogStatements } from './log-statements.ts'
import { createLogUpkeep } from './log-upkeep.ts'
import { createRetentionClock } from './retention-clock.ts'

/** A step of trimming is never much larger than what was just appended, so that it delays nobody. */
const minTrimStep = 100
const idleTrimStep = 1_000

interface MessageRow {
  seq: number
  username: string
  message: string
  created_time: number
}

/** The log itself, on one SQLite file; synchronous, so it belongs into a thread of its own. */
export function createSqliteLogStore(file: string, retention: Retention) {
  const database = openDatabase(file)
  migrateLog(database, file)
  const sql = prepareLogStatements(database)
  const identity = openLogIdentity(database, file, Number(sql.ends.get()?.['newest'] ?? 0))
  const { epoch } = identity
  const guard = createDatabaseGuard(file)
  const upkeep = createLogUpkeep(database)
  const newestStoredAt = sql.newestStoredAt.get()?.['newest']
  const clock = createRetentionClock(
    { wallMs: () => Date.now(), monotonicMs },
    newestStoredAt == null ? null : Number(newestStoredAt),
  )
  guard.check()
  let range = loadRange()
  let rangeIsStale = false

  /** The head is never below the newest message, whatever somebody wrote there by hand. */
  function loadRange(): LogRange {
    const { oldest, newest } = sql.ends.get() ?? {}
    const head = Math.max(Number(sql.state.get()?.['head']), Number(newest ?? 0))
    return { head, oldest: oldest == null ? head + 1 : Number(oldest) }
  }

  function guarded<Result>(work: () => Result): Result {
    guard.check()
    try {
      recover()
      return work()
    } catch (error) {
      guard.note(error)
      throw error
    }
  }

  function transact<Result>(work: () => Result): Result {
    return guarded(() => {
      identity.catchUp()
      sql.begin.run()
      try {
        const result = work()
        sql.commit.run()
        return result
      } catch (error) {
        rangeIsStale = true
        rollBack()
        throw error
      }
    })
  }

  /** At once: until it is rolled back, a failed transaction holds the write lock. */
  function rollBack(): void {
    try {
      if (database.isTransaction) database.exec('ROLLBACK')
    } catch (error) {
      // What made the transaction fail is what the caller must hear; `recover` tries again.
      guard.note(error)
    }
  }

  /** After a failed transaction the disk, not the memory, says where the log ends; it may take a while to answer. */
  function recover(): void {
    if (!rangeIsStale) return
    if (database.isTransaction) database.exec('ROLLBACK')
    range = loadRange()
    rangeIsStale = false
  }

  function appendOne({ message: { username, message, createdTime }, id, after }: LogEntry, now: number): AppendOutcome {
    const reaches = after === null || reachesBackTo(after, { epoch, ...range })
    if (reaches) {
      const seq = range.head + 1
      if (sql.insert.run(seq, id, username, message, createdTime, now).changes === 1) {
        range = { head: seq, oldest: range.oldest }
        return { seq, repeated: false }
      }
    }
    const earlier = sql.byId.get(id)
    if (earlier === undefined) return { refused: 'expired' }
    const same = earlier['message'] === message && earlier['created_time'] === createdTime
    return same ? { seq: Number(earlier['seq']), repeated: true } : { refused: 'id_conflict' }
  }

  /** The last seq that is to go now, in a step of at most `maxStep`; `null` when none is. */
  function lastToDrop(maxStep: number): number | null {
    if (range.head < range.oldest) return null
    const tooMany = range.head - retention.maxMessages
    const olderThan = clock.trimNow() - retention.maxAgeMs
    const tooOld = Number(sql.lastOlderThan.get(range.oldest, maxStep, olderThan)?.['seq'] ?? 0)
    const upTo = Math.min(Math.max(tooMany, tooOld), range.oldest + maxStep - 1)
    return upTo < range.oldest ? null : upTo
  }

  function drop(upTo: number | null): void {
    if (upTo === null) return
    sql.deleteUpTo.run(upTo)
    range = { head: range.head, oldest: upTo + 1 }
    upkeep.noteDropped()
  }

  return {
    epoch,
    isNew: identity.isNew,
    epochRenewed: identity.renewed,
    range: () => range,

    append(entries: readonly LogEntry[]): AppendOutcome[] {
      const outcomes = transact(() => {
        const now = clock.now()
        const outcomes = entries.map((entry) => appendOne(entry, now))
        drop(lastToDrop(Math.max(minTrimStep, entries.length * 2)))
        sql.setHead.run(range.head)
        return outcomes
      })
      identity.remember(range.head)
      upkeep.noteAppended()
      return outcomes
    },

    /** A message that somebody deleted by hand is a hole: what follows it does not continue what came before. */
    readAfter(afterSeq: number, { maxMessages, maxCharacters }: ReadPage): StoredMessage[] | null {
      return guarded(() => {
        if (afterSeq < range.oldest - 1 || afterSeq > range.head) return null
        const messages: StoredMessage[] = []
        let characters = 0
        for (const row of sql.after.iterate(afterSeq, maxMessages) as Iterable<unknown>) {
          const { seq, username, message, created_time } = row as MessageRow
          if (seq !== afterSeq + messages.length + 1) break
          messages.push({ seq, message: { username, message, createdTime: created_time } })
          characters += message.length
          if (characters >= maxCharacters) break
        }
        return messages.length === 0 && afterSeq < range.head ? null : messages
      })
    },

    /** For the quiet moments: a room in which nobody speaks forgets too. */
    tidy(): void {
      try {
        if (clock.followCorrection()) transact(() => sql.noneStoredAfter.run(clock.now()))
        const upTo = guarded(() => lastToDrop(idleTrimStep))
        if (upTo !== null) transact(() => drop(upTo))
        guarded(() => upkeep.run())
      } catch {
        // Storage is away: the next append or check reports it, and tidying can wait.
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
