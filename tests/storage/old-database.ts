import { randomUUID } from 'node:crypto'
import { copyFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { hash as hashPassword } from '@node-rs/argon2'
import { createToken } from '../../server/accounts/tokens.ts'
import { dataFiles } from '../../server/sqlite/data-folder.ts'

// Word for word what version 0.1.0 left behind.
const schema = `
  CREATE TABLE room (one INTEGER PRIMARY KEY CHECK (one = 1), epoch TEXT NOT NULL, head INTEGER NOT NULL);
  CREATE TABLE messages (
    seq INTEGER PRIMARY KEY,
    id TEXT UNIQUE,
    username TEXT NOT NULL,
    message TEXT NOT NULL,
    created_time INTEGER NOT NULL,
    stored_at_ms INTEGER NOT NULL
  );
  CREATE TABLE probe (one INTEGER PRIMARY KEY CHECK (one = 1), noise INTEGER NOT NULL);
  CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
  CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
  INSERT INTO kysely_migration VALUES ('001-users-and-tokens', '2026-11-15T12:00:00.000Z');
  INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0);
  CREATE TABLE "users" ("place" integer primary key autoincrement, "id" text not null unique, "name" text not null,
    "name_key" text not null unique, "look_key" text not null unique, "email" text not null,
    "email_key" text not null unique, "password_hash" text not null);
  CREATE TABLE "tokens" ("hash" text primary key,
    "user_id" text not null references "users" ("id") on delete cascade, "expires_at_ms" bigint not null);
  CREATE INDEX "tokens_by_expiry" on "tokens" ("expires_at_ms");
`
export const oldRoom = { epoch: 'oldEpoch', head: 30, oldest: 11 }
export const oldUsers = ['zoe', 'alice', 'bob']
export const oldPassword = 'a password of an earlier version'
const dayMs = 86_400_000

/** A folder as an earlier version left it, killed: what was written last stands in the write-ahead log alone. */
export async function layOldDatabase(folder: string): Promise<{ token: string; lastId: string }> {
  const { token, hash } = createToken()
  const lastId = randomUUID()
  const passwordHash = await hashPassword(oldPassword)
  const { old } = dataFiles(folder)
  const living = `${old}.living`
  const database = new DatabaseSync(living)
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${schema}`)
  const user = database.prepare(
    'INSERT INTO users (id, name, name_key, look_key, email, email_key, password_hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const name of oldUsers)
    user.run(`id of ${name}`, name, name, name, `${name}@x.org`, `${name}@x.org`, passwordHash)
  database.prepare('INSERT INTO tokens VALUES (?, ?, ?)').run(hash, 'id of alice', Date.now() + dayMs)
  database.prepare('INSERT INTO room VALUES (1, ?, ?)').run(oldRoom.epoch, oldRoom.head)
  const message = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, 1, ?)')
  for (let seq = oldRoom.oldest; seq <= oldRoom.head; seq++) {
    message.run(seq, seq === oldRoom.head ? lastId : null, 'alice (not loggedin)', `message ${seq}`, Date.now())
  }
  // Copied while it is open: closing it empties the write-ahead log.
  for (const suffix of ['', '-wal']) copyFileSync(living + suffix, old + suffix)
  database.close()
  rmSync(living)
  return { token, lastId }
}
