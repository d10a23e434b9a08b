import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { describeAccountStore } from '../../../accounts/account-store.suite.ts'
import { describeModerationStore } from '../../../moderation/moderation-store.suite.ts'
import { ignoreStoreEvents } from '../store-events.suite.ts'
import { openSqliteAccountStore } from './sqlite-account-store.ts'

function createTestDatabase() {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-accounts-'))
  return {
    open: () => openSqliteAccountStore(join(folder, 'accounts.sqlite'), ignoreStoreEvents),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
describeAccountStore('SQLite', createTestDatabase)
describeModerationStore('SQLite', createTestDatabase)

test('STORAGE-5 a failed registration is rolled back at once and rejects with its cause', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-accounts-'))
  const file = join(folder, 'accounts.sqlite')
  const store = await openSqliteAccountStore(file, ignoreStoreEvents)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
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
