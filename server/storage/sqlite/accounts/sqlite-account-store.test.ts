import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { noRules } from '../../../../contract/constants.ts'
import { account as accountOf, tokenOf } from '../../../accounts/account-fixture.suite.ts'
import { describeAccountStore } from '../../../accounts/account-store.suite.ts'
import { describeManagedAccounts } from '../../../accounts/managed-accounts.suite.ts'
import { maxAccountNetworks, maxFilteredWords, maxRestrictions } from '../../../moderation/moderation-store.ts'
import { describeModerationStore } from '../../../moderation/moderation-store.suite.ts'
import { ignoreStoreCallbacks } from '../store-callbacks.suite.ts'
import { openSqliteAccountStore } from './sqlite-account-store.ts'

function createTestDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-accounts-'))
  const file = join(folder, 'accounts.sqlite')
  return {
    file,
    open: () => openSqliteAccountStore(file, ignoreStoreCallbacks),
    execute: async (statement: string) => {
      const other = new DatabaseSync(file)
      other.exec(statement)
      other.close()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Opens a store on a new database and closes it after the test. */
async function openStore() {
  const { file, open, execute, remove } = createTestDatabase()
  const store = await open()
  onTestFinished(async () => {
    await store.close()
    remove()
  })
  return { file, store, execute }
}

describeAccountStore('SQLite', createTestDatabase)
describeManagedAccounts('SQLite', createTestDatabase)
describeModerationStore('SQLite', createTestDatabase)

test('STORAGE-5 a failed registration is rolled back at once and rejects with its cause', async () => {
  const { file, store } = await openStore()
  const account = (name: string) => {
    const keys = { nameKey: name, lookKey: name, emailKey: name }
    return { id: name, name, email: name, passwordHash: 'hash', ...keys }
  }
  const token = { hash: 'same', lifetimeMs: 1 }
  expect(await store.create(account('alice'), token)).toBe('created')
  const other = new DatabaseSync(file, { timeout: 0 })
  onTestFinished(() => other.close())
  await expect(store.create(account('bob'), token)).rejects.toThrow(/UNIQUE constraint failed: tokens.hash/)
  other.exec('BEGIN IMMEDIATE; COMMIT')
})

test('MODERATION-10 the lists of words, restrictions and networks of an account have a maximum length', async () => {
  const { file, store } = await openStore()
  const numbers = (count: number) => `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`
  const other = new DatabaseSync(file)
  other.exec(`INSERT INTO filtered_words ${numbers(maxFilteredWords)} SELECT 'word ' || i, 0 FROM n`)
  other.exec(
    `INSERT INTO restrictions ${numbers(maxRestrictions)} SELECT i, 'mute', NULL, i, 0, '', NULL, 0, NULL FROM n`,
  )
  const keys = { nameKey: 'alice', lookKey: 'alice', emailKey: 'alice' }
  const alice = { id: 'alice', name: 'alice', email: 'alice', passwordHash: 'hash', ...keys }
  await store.create(alice, { hash: 'token', lifetimeMs: 1 })
  other.exec(`INSERT INTO account_networks ${numbers(maxAccountNetworks)} SELECT 'alice', 'network ' || i, i FROM n`)
  await store.moderation.noteNetwork('alice', 'newest')
  const networks = other.prepare('SELECT network FROM account_networks ORDER BY used_at_ms').all()
  expect(networks).toHaveLength(maxAccountNetworks)
  expect(networks[0]).toMatchObject({ network: 'network 2' })
  expect(networks.at(-1)).toMatchObject({ network: 'newest' })
  other.close()
  const record = { actor: { kind: 'operator' }, action: 'a test', target: '', targetId: null, reason: null } as const
  const target = { accountId: null, network: '192.0.2.1', name: '', reason: null, includesLoopback: false }
  const restriction = { id: 'new', kind: 'mute', ...target } as const
  const tooMany = { isDone: false, problem: 'too_many' }
  expect(
    await store.moderation.apply({ type: 'add-word', word: { word: 'spam', inside: false } }, record),
  ).toStrictEqual(tooMany)
  expect(await store.moderation.apply({ type: 'restrict', restriction, durationMs: 1 }, record)).toStrictEqual(tooMany)
})

test('MODERATION-10 a word can be changed while the list of words has its maximum length', async () => {
  const { store, execute } = await openStore()
  const numbers = `WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${maxFilteredWords})`
  await execute(`INSERT INTO filtered_words ${numbers} SELECT 'word ' || i, 0 FROM n`)
  const record = { actor: { kind: 'operator' }, action: 'a test', target: '', targetId: null, reason: null } as const
  const word = { word: 'word 1', inside: true }
  expect(await store.moderation.apply({ type: 'add-word', word }, record)).toMatchObject({ isDone: true })
  const { words } = await store.moderation.load()
  expect(words).toHaveLength(maxFilteredWords)
  expect(words).toContainEqual(word)
})

test('MODERATION-16 a stored rule that is not JSON does not prevent the load', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-accounts-'))
  const file = join(folder, 'accounts.sqlite')
  const store = await openSqliteAccountStore(file, ignoreStoreCallbacks)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const other = new DatabaseSync(file)
  other.exec("INSERT INTO room_values VALUES ('readOnly', 'not JSON'), ('announcement', '{')")
  other.close()
  const loaded = { rules: { ...noRules, readOnly: 'not JSON' }, announcement: '{' }
  expect(await store.moderation.load()).toMatchObject(loaded)
})

/** Returns a function that checks whether a text is in any file of the database. */
function searchFiles(file: string) {
  const folder = dirname(file)
  return (text: string) => readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text))
}

test('MODERATION-10 an audit entry whose retention has ended is in no file after the sweep', async () => {
  const { file, store, execute } = await openStore()
  const isInFiles = searchFiles(file)
  const actor = { kind: 'operator' } as const
  await store.moderation.apply(
    { type: 'record' },
    { actor, action: 'ban', target: 'Zebulon', targetId: null, reason: null },
  )
  await execute('UPDATE moderation_audit SET at_ms = 0')
  expect(isInFiles('Zebulon')).toBe(true)
  await store.moderation.sweep()
  expect(isInFiles('Zebulon')).toBe(false)
})

test('MODERATION-14 an erased name is in no file', async () => {
  const { file, store } = await openStore()
  const isInFiles = searchFiles(file)
  const actor = { kind: 'operator' } as const
  await store.moderation.apply(
    { type: 'record' },
    { actor, action: 'ban', target: 'Zebulon', targetId: 'z', reason: null },
  )
  await store.moderation.eraseNames('z')
  expect(isInFiles('Zebulon')).toBe(false)
})

test('MODERATION-21 the e-mail address of a deleted account is in no file, as soon as no reader needs it', async () => {
  const { file, store } = await openStore()
  const isInFiles = searchFiles(file)
  const [alice, bob] = [accountOf('alice'), accountOf('bob')]
  for (const one of [alice, bob]) await store.create(one, tokenOf(one.name))
  expect(isInFiles(alice.email)).toBe(true)
  await store.deleteAccount(alice.id, { durationMs: 1 })
  expect(isInFiles(alice.email)).toBe(false)

  const reader = new DatabaseSync(file, { readOnly: true })
  onTestFinished(() => reader.close())
  reader.exec('BEGIN')
  expect(reader.prepare('SELECT count(*) AS count FROM users').get()).toMatchObject({ count: 1 })
  await store.deleteAccount(bob.id, { durationMs: 1 })
  expect(isInFiles(bob.email)).toBe(true)
  reader.exec('COMMIT')
  await expect.poll(() => isInFiles(bob.email), { timeout: 10_000 }).toBe(false)
})
