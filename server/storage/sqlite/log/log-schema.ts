import type { DatabaseSync } from 'node:sqlite'
import { singleValue } from '../open-database.ts'
import { StartError } from '../../../base/start-error.ts'

/**
 * Schema migrations in order. `user_version` is the number of applied migrations. Never change a released migration;
 * add a new one.
 */
const migrations = [
  // The head has its own table: a log whose messages were all trimmed must not assign a seq again.
  // 'IF NOT EXISTS': databases older than `user_version` already have these tables.
  `CREATE TABLE IF NOT EXISTS room (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, head INTEGER NOT NULL);
   CREATE TABLE IF NOT EXISTS messages (
     seq INTEGER PRIMARY KEY,
     id TEXT UNIQUE,
     username TEXT NOT NULL,
     message TEXT NOT NULL,
     created_time INTEGER NOT NULL,
     stored_at_ms INTEGER NOT NULL
   );
   CREATE TABLE IF NOT EXISTS probe (one INTEGER PRIMARY KEY CHECK (one = 1), noise INTEGER NOT NULL);`,
  `ALTER TABLE room RENAME COLUMN one TO id;
   ALTER TABLE probe RENAME COLUMN one TO id;
   ALTER TABLE probe RENAME COLUMN noise TO nonce;`,
  // Terms are read in the order of the rows: two terms can begin at the same seq if the first one is empty.
  `CREATE TABLE terms (
     position INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     first INTEGER NOT NULL,
     epoch TEXT NOT NULL
   );`,
  // Both columns are NULL for messages that an earlier version stored.
  `ALTER TABLE messages ADD COLUMN account_id TEXT;
   ALTER TABLE messages ADD COLUMN network TEXT;`,
  // The counter has its own column: retention deletes old rows of `removals`.
  `ALTER TABLE messages ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE room ADD COLUMN removals INTEGER NOT NULL DEFAULT 0;
   CREATE TABLE removals (
     number INTEGER PRIMARY KEY,
     seq INTEGER NOT NULL,
     removed_at_ms INTEGER NOT NULL
   );`,
]

export function migrateLog(database: DatabaseSync, file: string): void {
  const version = Number(singleValue(database, 'PRAGMA user_version'))
  if (version > migrations.length) throw newerDatabase(file)
  for (const [index, sql] of migrations.entries()) {
    if (index < version) continue
    database.exec('BEGIN IMMEDIATE')
    try {
      database.exec(`${sql} PRAGMA user_version = ${index + 1}; COMMIT;`)
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
}

function newerDatabase(file: string): StartError {
  return new StartError(
    `DATA_DIR: ${file} was written by a newer version of Chat Room; start that version, or restore a backup`,
  )
}
