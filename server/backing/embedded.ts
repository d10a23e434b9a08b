import type { Logger } from 'pino'
import { createMemoryLoginLedger } from '../accounts/login-ledger.ts'
import { openSqliteAccountStore } from '../accounts/sqlite/sqlite-account-store.ts'
import { endByForce } from '../end-process.ts'
import { createLocalRoster } from '../presence/roster.ts'
import type { LogListener, MessageLog } from '../room/message-log.ts'
import { openSqliteLog } from '../room/sqlite/sqlite-log.ts'
import { retentionOf, type Settings } from '../settings.ts'
import { claimDataFolder } from '../sqlite/data-folder.ts'
import type { Backing } from './backing.ts'
import { createLocalOrders } from './orders.ts'

/** What the process stands on when it stands alone: two SQLite files in a folder that no other server uses. */
export async function openEmbeddedBacking(settings: Settings, log: Logger): Promise<Backing> {
  const folder = claimDataFolder(settings.dataDir, log)
  const stores: { close: () => Promise<void> }[] = []

  async function close(): Promise<void> {
    const closings = await Promise.allSettled(stores.map((store) => store.close()))
    folder.release()
    for (const closing of closings) if (closing.status === 'rejected') throw closing.reason
  }

  /** Both files are crash-safe: to end at once and be started again is the shortest way back. */
  async function endWith(cause: Error): Promise<void> {
    log.fatal({ err: cause }, 'a storage thread has died; the server ends, start it again')
    try {
      await close()
    } catch {
      // The other thread hangs.
      await endByForce()
    }
    process.exit(1)
  }

  const created = (file: string) => () => log.info({ file }, 'created a new database')
  const accounts = await openSqliteAccountStore(folder.accountsFile, {
    onDied: (error) => void endWith(error),
    onCreated: created(folder.accountsFile),
  })
  stores.push(accounts)

  async function openLog(listener: LogListener): Promise<MessageLog> {
    const messageLog = await openSqliteLog(folder.messagesFile, retentionOf(settings), {
      stored: (batch) => listener.stored(batch),
      onDied: (error) => void endWith(error),
      onCreated: created(folder.messagesFile),
      onEpochRenewed: () =>
        log.warn(
          { file: folder.messagesFile },
          'this database is older than what was given out, or was put here from elsewhere: returning pages are told that messages may be missing',
        ),
    })
    stores.push(messageLog)
    return messageLog
  }

  const files = { accounts: folder.accountsFile, messages: folder.messagesFile }
  return {
    openLog,
    openRoster: createLocalRoster,
    accounts,
    isReadyWithoutAccounts: false,
    logins: createMemoryLoginLedger(),
    orders: createLocalOrders(),
    files,
    leaveAfterMs: null,
    close,
  }
}
