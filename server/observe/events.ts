import type { GuardEvent } from '../base/error-guard.ts'
import type { HttpCloseReason, RejectionReason, SlowConsumerReason } from './reasons.ts'

type RoomEvent =
  /** A batch was stored, perhaps after the deadline. `messages` does not count repeated and rejected messages. */
  | { type: 'batch-stored'; messages: number; storeMs: number }
  | { type: 'batch-fanned-out'; fanOutMs: number }
  /** A batch was rejected because it could not be stored, or not in time. */
  | { type: 'batch-rejected' }
  | { type: 'storage-unavailable'; error: unknown }
  | { type: 'storage-available' }
  /** The log continues under another epoch, because messages were lost, or may have been. */
  | { type: 'log-epoch-changed'; epoch: string; oldest: number; head: number }
  /** Messages were trimmed or deleted from the log before this node read them. */
  | { type: 'log-gap'; epoch: string; oldest: number; head: number }
  | { type: 'replay-failed'; error: unknown }

type AccountEvent =
  | { type: 'accounts-unavailable'; error: unknown }
  | { type: 'accounts-available' }
  | { type: 'account-request-failed'; error: unknown }
  | { type: 'token-sweep-failed'; error: unknown }
  /** This node could not load roles, rules and restrictions. It keeps those that it loaded last. */
  | { type: 'moderation-reload-failed'; error: unknown }
  | { type: 'moderation-sweep-failed'; error: unknown }
  /** The database holds rules or an announcement that do not match the contract. They count as not set. */
  | { type: 'moderation-values-invalid'; keys: readonly string[] }

type StorageEvent =
  | { type: 'database-created'; file: string }
  /**
   * The database was restored or replaced: it holds less than the server has acknowledged, or is not the same database.
   * Also reported when the head file of an existing log is missing or invalid: the server then cannot detect a loss.
   */
  | { type: 'log-epoch-renewed'; file: string }
  | { type: 'data-folder-readable'; folder: string; mode: string; uid: number }
  | { type: 'lock-file-removed'; file: string }
  /** The default socket of the command line cannot be opened. The server runs without the command line. */
  | { type: 'admin-socket-failed'; path: string; error: unknown }
  | { type: 'storage-thread-died'; error: unknown }
  | { type: 'redis-not-durable'; server: string; weaknesses: readonly string[] }
  /** The durability settings of Redis changed. `weaknesses` is empty when Redis is durable again. */
  | { type: 'redis-durability-changed'; weaknesses: readonly string[] }
  | { type: 'retention-differs'; own: string; other: string }
  | { type: 'postgres-not-durable' }
  | { type: 'redis-reader-failed'; error: unknown }
  /** Redis refuses to rewrite its files after a removal. The server tries again every minute. */
  | { type: 'redis-not-erased'; error: unknown }
  /** The files of a replica could not be rewritten after a removal. */
  | { type: 'redis-replica-not-erased'; replica: string; error: unknown }
  | { type: 'redis-roster-failed'; error: unknown }
  | { type: 'redis-ledger-failed'; error: unknown }

type LimitEvent =
  | { type: 'request-rejected'; reason: RejectionReason }
  | { type: 'pressure-changed'; level: 'none' | 'shed-logins' | 'shed-connections' }
  | { type: 'raid-level-changed'; level: 'none' | 'anonymous' | 'all'; perSecond: number }
  | { type: 'few-file-descriptors'; connections: number }
  | { type: 'heap-nearly-full'; usedBytes: number; limitBytes: number }

type ConnectionEvent =
  | { type: 'forwarded-for-ignored'; peer: string }
  | { type: 'origin-rejected'; origin: string; host: string }
  | { type: 'origin-protocol-rejected'; origin: string; host: string }
  | { type: 'host-rejected'; host: string }
  | { type: 'flood-closed'; address: string }
  /** A connection was closed because it, its address or its network used too much CPU time. */
  | { type: 'costly-closed'; address: string }
  | { type: 'slow-consumer-closed'; reason: SlowConsumerReason }
  | { type: 'http-connection-closed'; reason: HttpCloseReason }
  /** A handler threw something that is not a rejection. The client gets an error; the cause is a defect. */
  | { type: 'handler-failed'; handler: string; error: unknown }
  | { type: 'node-isolated' }
  | { type: 'fast-path-disabled'; missing: readonly string[] }

/** Event that a module reports for the log or the metrics. `event-sink.ts` has one entry for each type. */
export type ServerEvent = RoomEvent | AccountEvent | StorageEvent | LimitEvent | ConnectionEvent | GuardEvent

export type Report = (event: ServerEvent) => void
