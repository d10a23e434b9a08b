import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { listedColumns, messageColumns, messagePlaceholders, senderColumns } from './message-row.ts'

const texts = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  state: 'SELECT epoch, head FROM room',
  bounds: 'SELECT min(seq) AS oldest, max(seq) AS newest FROM messages',
  setHead: 'UPDATE room SET head = ?',
  insert: `INSERT INTO messages (seq, id, stored_at_ms, ${senderColumns}, ${messageColumns})
    VALUES (?, ?, ?, ?, ?, ${messagePlaceholders}) ON CONFLICT (id) DO NOTHING`,
  byId: `SELECT seq, removed, ${messageColumns} FROM messages WHERE id = ?`,
  after: `SELECT seq, ${messageColumns} FROM messages WHERE seq > ? ORDER BY seq LIMIT ?`,
  // The next two queries use no index: an index would cost time on each append, and moderators rarely remove all
  // messages of a sender.
  ofAccount: 'SELECT seq FROM messages WHERE account_id = ? ORDER BY seq',
  ofAnonymous: 'SELECT seq FROM messages WHERE account_id IS NULL AND network = ? ORDER BY seq',
  newest: `SELECT seq, ${listedColumns} FROM messages WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  messageAt: `SELECT seq, ${listedColumns} FROM messages WHERE seq = ?`,
  erase: 'UPDATE messages SET message = ?, removed = 1 WHERE seq = ? AND removed = 0',
  addRemoval: 'INSERT INTO removals (number, seq, removed_at_ms) VALUES (?, ?, ?)',
  setRemovals: 'UPDATE room SET removals = ?',
  countRemovals: 'SELECT removals FROM room',
  keptRemovals: 'SELECT seq FROM removals ORDER BY number',
  dropRemovals: 'DELETE FROM removals WHERE removed_at_ms < ? OR number <= ?',
  lastOlderThan: `SELECT max(seq) AS seq FROM (SELECT seq, stored_at_ms FROM messages WHERE seq >= ? ORDER BY seq LIMIT ?)
    WHERE stored_at_ms < ? HAVING max(seq) IS NOT NULL`,
  deleteUpTo: 'DELETE FROM messages WHERE seq <= ?',
  // The value changes each time: SQLite does not write an unchanged page, and a full disk would not be detected.
  probe: 'INSERT OR REPLACE INTO probe (id, nonce) VALUES (1, random())',
  newestStoredAt: 'SELECT max(stored_at_ms) AS newest FROM messages',
  limitStoredAt: 'UPDATE messages SET stored_at_ms = ?1 WHERE stored_at_ms > ?1',
} as const

export type LogStatements = Record<keyof typeof texts, StatementSync>

export function prepareLogStatements(database: DatabaseSync): LogStatements {
  const entries = Object.entries(texts).map(([name, text]) => [name, database.prepare(text)])
  return Object.fromEntries(entries) as LogStatements
}
