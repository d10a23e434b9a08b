import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { hash as hashPassword } from '@node-rs/argon2'
import { createToken } from '../../server/accounts/sessions/tokens.ts'
import { dataFiles } from '../../server/storage/sqlite/data-folder.ts'

// Schemas exactly as the oldest supported version left them. Do not change them when the schema of the server changes.
const accountsSchema = `
  CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
  CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
  INSERT INTO kysely_migration VALUES
    ('001-users-and-tokens', '2026-11-15T12:00:00.000Z'),
    ('002-registered-order', '2026-11-15T12:00:00.001Z'),
    ('003-name-keys', '2026-11-15T12:00:00.002Z'),
    ('004-tokens-by-user', '2026-11-15T12:00:00.003Z'),
    ('005-name-keys-without-strokes', '2026-11-15T12:00:00.004Z');
  INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0);
  CREATE TABLE "users" ("registered_order" integer primary key autoincrement, "id" text not null unique,
    "name" text not null, "name_key" text not null unique, "look_key" text not null unique, "email" text not null,
    "email_key" text not null unique, "password_hash" text not null);
  CREATE TABLE "tokens" ("hash" text primary key,
    "user_id" text not null references "users" ("id") on delete cascade, "expires_at_ms" bigint not null);
  CREATE INDEX "tokens_by_expiry" on "tokens" ("expires_at_ms");
  CREATE INDEX "tokens_by_user" on "tokens" ("user_id", "expires_at_ms");
`
const messagesSchema = `
  CREATE TABLE room (id INTEGER PRIMARY KEY CHECK (id = 1), epoch TEXT NOT NULL, head INTEGER NOT NULL);
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT UNIQUE,
    username TEXT NOT NULL,
    message TEXT NOT NULL,
    created_time INTEGER NOT NULL,
    stored_at_ms INTEGER NOT NULL
  );
  CREATE TABLE probe (id INTEGER PRIMARY KEY CHECK (id = 1), nonce INTEGER NOT NULL);
  PRAGMA user_version = 2;
`
export const earlierRoom = { epoch: 'oldEpoch', head: 30, oldest: 11 }
export const earlierUsers = ['zoe', 'alice', 'bob']
export const earlierPassword = 'a password of an earlier version'
const dayMs = 86_400_000

/** Creates a data folder as the oldest supported version left it after a kill -9, with data in the write-ahead logs. */
export async function createEarlierDataFolder(folder: string): Promise<{ token: string; lastId: string }> {
  const { token, hash } = createToken()
  const lastId = randomUUID()
  const passwordHash = await hashPassword(earlierPassword)
  const { accounts, messages, head } = dataFiles(folder)

  writeUnclosed(accounts, accountsSchema, (database) => {
    const user = database.prepare(
      'INSERT INTO users (id, name, name_key, look_key, email, email_key, password_hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    for (const name of earlierUsers)
      user.run(`id of ${name}`, name, name, name, `${name}@x.org`, `${name}@x.org`, passwordHash)
    database.prepare('INSERT INTO tokens VALUES (?, ?, ?)').run(hash, 'id of alice', Date.now() + dayMs)
  })
  writeUnclosed(messages, messagesSchema, (database) => {
    database.prepare('INSERT INTO room VALUES (1, ?, ?)').run(earlierRoom.epoch, earlierRoom.head)
    const message = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, 1, ?)')
    for (let seq = earlierRoom.oldest; seq <= earlierRoom.head; seq++) {
      message.run(seq, seq === earlierRoom.head ? lastId : null, 'alice (not loggedin)', `message ${seq}`, Date.now())
    }
  })
  const { epoch, head: seq } = earlierRoom
  const record = { epoch, head: seq, inode: statSync(messages).ino, bornMs: null }
  writeFileSync(head, `${JSON.stringify(record).padEnd(127)}\n`)
  return { token, lastId }
}

/** Writes a database and copies it while it is open, because closing it would empty the write-ahead log. */
function writeUnclosed(file: string, schema: string, write: (database: DatabaseSync) => void): void {
  const open = `${file}.open`
  const database = new DatabaseSync(open)
  database.exec(`PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${schema}`)
  write(database)
  for (const suffix of ['', '-wal']) copyFileSync(open + suffix, file + suffix)
  database.close()
  rmSync(open)
}
