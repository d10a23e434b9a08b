import { createMemoryLoginLedger } from '../accounts/login/login-ledger.ts'
import { openSqliteAccountStore } from './sqlite/accounts/sqlite-account-store.ts'
import { killProcess } from '../base/kill-process.ts'
import type { ModuleContext } from '../observe/module-context.ts'
import { createLocalRoster } from '../room/presence/roster.ts'
import { openSqliteLog } from './sqlite/log/sqlite-log.ts'
import { retentionOf } from '../config/settings.ts'
import { claimDataFolder } from './sqlite/data-folder.ts'
import type { SqliteStoreCallbacks } from './sqlite/store-callbacks.ts'
import type { Storage } from './storage.ts'
import { createLocalBus } from '../bus/cluster-bus.ts'

interface Closable {
  close: () => Promise<void>
}

/** Opens SQLite files in a folder that no other server uses. */
export async function openEmbeddedStorage({ settings, report, metrics, resources }: ModuleContext): Promise<Storage> {
  const { files, release } = claimDataFolder(settings.dataDir, report)
  const stores: Closable[] = []
  const storeCallbacks: SqliteStoreCallbacks = { report, onDied: (error) => void exitAfter(error) }

  /**
   * Closes the stores at the same time, so that a store that hangs does not delay the others. Rejects when a store hangs.
   */
  async function close(): Promise<void> {
    const closings = await Promise.allSettled(stores.map((store) => store.close()))
    release()
    for (const closing of closings) if (closing.status === 'rejected') throw closing.reason
  }
  resources.defer(close)

  /**
   * Ends the process after an error of a storage thread. All files are crash-safe, so a restart is the fastest recovery.
   */
  async function exitAfter(error: Error): Promise<void> {
    report({ type: 'storage-thread-died', error })
    try {
      await close()
    } catch {
      // Another storage thread hangs.
      await killProcess()
    }
    process.exit(1)
  }

  async function open<Store extends Closable>(opening: Promise<Store>): Promise<Store> {
    const store = await opening
    stores.push(store)
    return store
  }

  const accounts = await open(openSqliteAccountStore(files.accounts, storeCallbacks))
  const messageLog = await open(openSqliteLog(files.messages, retentionOf(settings), storeCallbacks))
  metrics.watch({ databaseFiles: files })
  return {
    messageLog,
    openRoster: createLocalRoster,
    accounts,
    isReadyWithoutAccounts: false,
    logins: createMemoryLoginLedger(),
    bus: createLocalBus(),
    isolatedAfterMs: null,
  }
}
