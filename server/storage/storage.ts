import type { AccountStore } from '../accounts/account-store.ts'
import type { LoginLedger } from '../accounts/login/login-ledger.ts'
import type { Roster, RosterListener } from '../room/presence/roster.ts'
import type { LogListener, MessageLog } from '../room/message-log.ts'
import type { Orders } from '../bus/cluster-bus.ts'

/**
 * What the process stands on: SQLite files of its own (`embedded.ts`), or servers that it shares with other nodes
 * (`shared.ts`). Chosen once, in `open-backing.ts`; nothing else knows which it is.
 */
export interface Backing {
  /** The room's messages; called once. */
  openLog(listener: LogListener): Promise<MessageLog>
  /** Who is online, here and elsewhere; called once. */
  openRoster(listener: RosterListener): Roster
  accounts: AccountStore
  /** Accounts are kept elsewhere than messages: while they are away, the room is open all the same. */
  isReadyWithoutAccounts: boolean
  /** Who has failed to log in, and who has registered. */
  logins: LoginLedger
  orders: Orders
  /** Each database on this machine by what it holds. */
  files: Readonly<Record<string, string>>
  /** After so long without the room its pages are sent away; `null` where they have no other place: they wait for a start. */
  leaveAfterMs: number | null
  /** Rejects when storage hangs: then only `endByForce` ends the process. */
  close(): Promise<void>
}
