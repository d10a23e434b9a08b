import type { AccountStore } from '../accounts/account-store.ts'
import type { LoginLedger } from '../accounts/login/login-ledger.ts'
import type { ModerationStore } from '../moderation/moderation-store.ts'
import type { Roster, RosterListener } from '../room/presence/roster.ts'
import type { MessageLog } from '../room/message-log.ts'
import type { ClusterBus } from '../bus/cluster-bus.ts'

/** Database of accounts, which also holds roles, rules and restrictions. */
export interface AccountDatabase extends AccountStore {
  moderation: ModerationStore
}

/**
 * Storage of a server: SQLite files of its own (`embedded.ts`), or Redis and PostgreSQL that it shares with other nodes
 * (`shared.ts`). `open-storage.ts` chooses between them.
 */
export interface Storage {
  messageLog: MessageLog
  /** Opens the list of online users of all nodes. Call it once. */
  openRoster: (listener: RosterListener) => Roster
  accounts: AccountDatabase
  /** Whether the server is ready while accounts are unavailable, because another database server stores them. */
  isReadyWithoutAccounts: boolean
  /** Counter of failed logins and of registrations. */
  logins: LoginLedger
  bus: ClusterBus
  /**
   * Time without the message log after which the node closes its connections, so that clients connect to other nodes;
   * `null` for SQLite, which no other node shares.
   */
  isolatedAfterMs: number | null
}
