import { randomBytes } from 'node:crypto'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { openDatabase } from '../../sqlite/open-database.ts'
import {
  type AppendOutcome,
  type LogEntry,
  type LogRange,
  type ReadPage,
  reachesBackTo,
  type Retention,
  type StoredMessage,
} from '../message-log.ts'

// The head stands apart from the messages: a log trimmed empty must not give out a seq again.
const schema = `
  CREATE TABLE IF NOT EXISTS room (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, head INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS messages (
    seq INTEGER PRIMARY KEY,
    id TEXT UNIQUE,
    username TEXT NOT NULL,
    message TEXT NOT NULL,
    created_time INTEGER NOT NULL,
    stored_at_ms INTEGER NOT NULL
  );
  CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY CHECK (one = 1), noise INTEGER NOT NULL);
`

/** A step of trimming is never much larger than what was just appended, so that it delays nobody. */
const minTrimStep = 100

interface MessageRow {
  seq: number
  username: string
  message: string
  created_time: number
}

/** Short, because every message carries it. */
const newEpoch = () => randomBytes(6).toString('base64url')

export function createSqliteLogStore(file: string, retention: Retention) {
  const database = openDatabase(file)
  database.exec(schema)
  database.prepare('INSERT OR IGNORE INTO room (one, epoch, head) VALUES (1, ?, 0)').run(newEpoch())
  const sql = prepareStatements(database)
  const epoch = String(sql.state.get()?.['epoch'])
  let range = loadRange()
  let rangeIsStale = false

  function loadRange(): LogRange {
    const head = Number(sql.state.get()?.['head'])
    const oldest = sql.oldest.get()?.['oldest']
    return { head, oldest: oldest == null ? head + 1 : Number(oldest) }
  }

  function transact<Result>(work: () => Result): Result {
    recover()
    sql.begin.run()
    try {
      const result = work()
      sql.commit.run()
      return result
    } catch (error) {
      rangeIsStale = true
      throw error
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
    const reaches = after === null || reachesBackTo(after, epoch, range)
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

  function trim(maxStep: number, now: number): void {
    const tooMany = range.head - retention.maxMessages
    const tooOld = Number(sql.lastOlderThan.get(range.oldest, maxStep, now - retention.maxAgeMs)?.['seq'] ?? 0)
    const upTo = Math.min(Math.max(tooMany, tooOld), range.oldest + maxStep - 1)
    if (upTo < range.oldest) return
    sql.deleteUpTo.run(upTo)
    range = { head: range.head, oldest: upTo + 1 }
  }

  return {
    epoch,
    range: () => range,

    append(entries: LogEntry[]): AppendOutcome[] {
      return transact(() => {
        const now = Date.now()
        const outcomes = entries.map((entry) => appendOne(entry, now))
        trim(Math.max(minTrimStep, entries.length * 2), now)
        sql.setHead.run(range.head)
        return outcomes
      })
    },

    readAfter(afterSeq: number, { maxMessages, maxCharacters }: ReadPage): StoredMessage[] | null {
      recover()
      if (afterSeq < range.oldest - 1) return null
      const messages: StoredMessage[] = []
      let characters = 0
      for (const row of sql.after.iterate(afterSeq, maxMessages) as Iterable<unknown>) {
        const { seq, username, message, created_time } = row as MessageRow
        messages.push({ seq, message: { username, message, createdTime: created_time } })
        characters += message.length
        if (characters >= maxCharacters) break
      }
      return messages
    },

    trimIdle(): void {
      try {
        const now = Date.now()
        if (range.head < range.oldest || sql.lastOlderThan.get(range.oldest, 1, now - retention.maxAgeMs) === undefined)
          return
        transact(() => trim(minTrimStep * 10, now))
      } catch {
        // Storage is away: the next append reports it, and trimming can wait.
      }
    },

    checkWritable(): void {
      transact(() => sql.probe.run())
    },

    close: () => database.close(),
  }
}

function prepareStatements(database: DatabaseSync): Record<StatementName, StatementSync> {
  const statements = {} as Record<StatementName, StatementSync>
  for (const [name, text] of Object.entries(statementTexts)) statements[name as StatementName] = database.prepare(text)
  return statements
}

const statementTexts = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  state: 'SELECT epoch, head FROM room',
  oldest: 'SELECT min(seq) AS oldest FROM messages',
  setHead: 'UPDATE room SET head = ?',
  insert: `INSERT INTO messages (seq, id, username, message, created_time, stored_at_ms)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
  byId: 'SELECT seq, message, created_time FROM messages WHERE id = ?',
  after: 'SELECT seq, username, message, created_time FROM messages WHERE seq > ? ORDER BY seq LIMIT ?',
  lastOlderThan: `SELECT max(seq) AS seq FROM (SELECT seq, stored_at_ms FROM messages WHERE seq >= ? ORDER BY seq LIMIT ?)
    WHERE stored_at_ms < ? HAVING max(seq) IS NOT NULL`,
  deleteUpTo: 'DELETE FROM messages WHERE seq <= ?',
  // Something new each time: what stands there already SQLite does not write, and a full disk would go unnoticed.
  probe: 'INSERT OR REPLACE INTO probe (one, noise) VALUES (1, random())',
} as const
type StatementName = keyof typeof statementTexts
