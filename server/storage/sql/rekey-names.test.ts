import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { maxStoredNameCharacters } from '../../../contract/limits.ts'
import { createLocalAccounts } from '../../accounts/accounts.suite.ts'
import { ignoreStoreCallbacks } from '../sqlite/store-callbacks.suite.ts'
import { openSqliteAccountStore } from '../sqlite/accounts/sqlite-account-store.ts'

const passwords = {
  hash: async (_: unknown, text: string) => text,
  verify: async (_: unknown, hash: string | null, text: string) => hash === text,
}

async function open(file: string) {
  const store = await openSqliteAccountStore(file, ignoreStoreCallbacks)
  onTestFinished(() => store.close())
  return createLocalAccounts(store, passwords)
}

/** Creates a database of an earlier version, with name keys of older rules. Returns its path. */
async function oldDatabase(names: string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'accounts.sqlite')
  await (await openSqliteAccountStore(file, ignoreStoreCallbacks)).close()
  const database = new DatabaseSync(file)
  database.exec("DELETE FROM kysely_migration WHERE name >= '003'; DROP INDEX tokens_by_user")
  const laterTables =
    "type = 'table' AND name NOT IN ('users', 'tokens') AND name NOT GLOB 'kysely*' AND name NOT GLOB 'sqlite*'"
  for (const { name } of database.prepare(`SELECT name FROM sqlite_master WHERE ${laterTables}`).all()) {
    database.exec(`DROP TABLE ${String(name)}`)
  }
  const insert = database.prepare(
    'INSERT INTO users (id, name, name_key, look_key, email, email_key, password_hash) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  for (const name of names) insert.run(name, name, `old ${name}`, `old ${name}`, name, name, `password of ${name}`)
  database.close()
  return file
}

test('NAMES-3 after the rules for name keys change, all accounts can log in, including the newer of two similar names', async () => {
  const names = ['bob', '\u0299\u1d0f\u0299', 'wendy', 'vvendy', 'alice', 'n'.repeat(maxStoredNameCharacters)]
  const accounts = await open(await oldDatabase(names))
  for (const name of names) {
    expect(await accounts.logIn({ name, password: `password of ${name}` }, '127.0.0.1')).toMatchObject({
      stat: 'Success',
      name,
    })
  }
  expect(await accounts.logIn({ name: 'BOB', password: 'password of bob' }, '127.0.0.1')).toMatchObject({ name: 'bob' })
  for (const name of ['Bob', 'b\u043eb', 'VVENDY', 'al\u0131ce']) {
    const registration = accounts.register({ name, email: 'x@example.org', password: 'x' }, '127.0.0.1')
    await expect(registration).rejects.toMatchObject({ code: 'name_taken' })
  }
})

test('NAMES-3 an account can get a key that another account had before the migration', async () => {
  const file = await oldDatabase(['bob', 'rob'])
  const database = new DatabaseSync(file)
  database.exec("UPDATE users SET name_key = 'x' || name_key; UPDATE users SET name_key = 'rob' WHERE name = 'bob'")
  database.close()
  const accounts = await open(file)
  for (const name of ['bob', 'rob']) {
    expect(await accounts.logIn({ name, password: `password of ${name}` }, '127.0.0.1')).toMatchObject({ name })
  }
})
