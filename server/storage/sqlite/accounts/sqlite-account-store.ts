import { startStorageThread } from '../storage-thread.ts'
import { forwardModeration } from '../../sql/forward-moderation.ts'
import type { AccountDatabase } from '../../storage.ts'
import type { SqliteStoreCallbacks } from '../store-callbacks.ts'
import type { AccountCalls } from './sqlite-account-worker.ts'

/**
 * Opens the account store in an SQLite file. A worker thread does the I/O, so that a slow disk does not block the event
 * loop.
 */
export async function openSqliteAccountStore(
  file: string,
  { report, onDied }: SqliteStoreCallbacks,
): Promise<AccountDatabase> {
  const thread = startStorageThread<AccountCalls>({
    script: new URL('./sqlite-account-worker.ts', import.meta.url),
    workerData: { file },
    stores: 'accounts',
    onDied,
  })
  const { isNew } = await thread.callAtStart('open')
  if (isNew) report({ type: 'database-created', file })

  return {
    create: (account, token) => thread.call('create', account, token),
    isNameTaken: (keys, exceptId) => thread.call('isNameTaken', keys, exceptId),
    findForLogin: (nameKey) => thread.call('findForLogin', nameKey),
    addToken: (token) => thread.call('addToken', token),
    findByToken: (hash, nowMs) => thread.call('findByToken', hash, nowMs),
    revokeToken: (hash) => thread.call('revokeToken', hash),
    deleteExpired: (nowMs) => thread.call('deleteExpired', nowMs),
    listPage: (afterOrder, maxUsers, search) => thread.call('listPage', afterOrder, maxUsers, search),
    countUsers: () => thread.call('countUsers'),
    exportAccount: (id) => thread.call('exportAccount', id),
    listTokens: (accountId, nowMs) => thread.call('listTokens', accountId, nowMs),
    revokeTokens: (accountId) => thread.call('revokeTokens', accountId),
    setPasswordHash: (accountId, hash) => thread.call('setPasswordHash', accountId, hash),
    rename: (accountId, names, reservation) => thread.call('rename', accountId, names, reservation),
    deleteAccount: (accountId, reservation) => thread.call('deleteAccount', accountId, reservation),
    moderation: forwardModeration((call) => thread.call('moderation', call)),
    check: () => thread.call('check'),
    close: () => thread.close(),
  }
}
