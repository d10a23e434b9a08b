import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeAccountStore } from './account-store.suite.ts'
import { openSqliteAccountStore } from './sqlite-account-store.ts'

describeAccountStore('SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chat-room-accounts-'))
  return {
    open: () => openSqliteAccountStore(join(folder, 'accounts.sqlite')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
})
