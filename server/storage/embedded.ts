import type { Logger } from 'pino'
import { createMemoryLoginLedger } from '../accounts/login/login-ledger.ts'
import { openSqliteAccountStore } from './sqlite/accounts/sqlite-account-store.ts'
import { endByForce } from '../base/end-process.ts'
import { createLocalRoster } from '../room/presence/roster.ts'
import type { LogListener, MessageLog } from '../room/message-log.ts'
import { openSqliteLog } from './sqlite/log/sqlite-log.ts'
import { retentionOf, type Settings } from '../config/settings.ts'
import { claimDataFolder } from './sqlite/data-folder.ts'
import type { Backing } from './storage.ts'
import { createLocalOrders } from '../bus/cluster-bus.ts'

interface Closable {
  close: () => Promise<void>
}

interface StoreEvents {
  onDied: (error: Error) => void
  onCreated: () => void
}

/** What the process stands on when it stands alone: SQLite files in a folder that no other server uses. */
export async function openEmbeddedBacking(settings: Settings, log: Logger): Promise<Backing> {
  const { files, release } = claimDataFolder(settings.dataDir, log)
  const stores: Closable[] = []

  async function close(): Promise<void> {
    const closings = await Promise.allSettled(stores.map((store) => store.close()))
    release()
    for (const closing of closings) if (closing.status === 'rejected') throw closing.reason
  }

  /** All files are crash-safe: to end at once and be started again is the shortest way back. */
  async function endWith(cause: Error): Promise<void> {
    log.fatal({ err: cause }, 'a storage thread has died; the server ends, start it again')
    try {
      await close()
    } catch {
      // Another thread hangs.
      await endByForce()
    }
    process.exit(1)
  }

  /** Opens what `close` closes, and whose death ends the process. */
  async function open<Store extends Closable>(
    name: keyof typeof files,
    openStore: (file: string, events: StoreEvents) => Promise<Store>,
  ): Promise<Store> {
    const file = files[name]
    const store = await openStore(file, {
      onDied: (error) => void endWith(error),
      onCreated: () => log.info({ file }, 'created a new database'),
    })
    stores.push(store)
    return store
  }

  const openLog = (listener: LogListener): Promise<MessageLog> =>
    open('messages', (file, events) =>
      openSqliteLog(file, retentionOf(settings), {
        ...events,
        stored: (batch) => listener.stored(batch),
        onEpochRenewed: () =>
          log.warn(
            { file },
            'this database is older than what was given out, or was put here from elsewhere: returning pages are told that messages may be missing',
          ),
      }),
    )

  const accounts = await open('accounts', openSqliteAccountStore)
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
