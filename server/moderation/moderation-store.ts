import type { Announcement, AuditAction, AuditEntry, RestrictionKind, RoomRules } from '../../contract/moderation.ts'
import type { Account } from '../accounts/account-store.ts'

/**
 * Target of a restriction: an account, or the anonymous senders of a network. If the action names a message of an account,
 * the target also has the network of that message, if known. The other networks of the account may be unknown, for example after
 * the account was deleted.
 */
export type RestrictionTarget = { accountId: string; network: string | null } | { accountId: null; network: string }

export type NewRestriction = RestrictionTarget & {
  id: string
  kind: RestrictionKind
  /** Whether the restriction applies to loopback too, which all clients behind a local proxy may share. */
  includesLoopback: boolean
  /** Name of the sender or the account; empty when the operator names a network. */
  name: string
  reason: string | null
}

export type StoredRestriction = NewRestriction & {
  /** Time of the end, by the clock of the database; `null` means without end. */
  endsAtMs: number | null
  /** Networks that the restricted account has used. */
  accountNetworks: readonly string[]
}

export interface FilteredWord {
  word: string
  /** Whether the word also matches as a part of another word. */
  inside: boolean
}

/** Moderation state that a node keeps in memory. */
export interface StoredModeration {
  moderators: readonly Account[]
  rules: RoomRules
  announcement: Announcement | null
  words: readonly FilteredWord[]
  /** Restrictions that have not ended. */
  restrictions: readonly StoredRestriction[]
  /** Time of the database's clock, by which restrictions end. */
  nowMs: number
}

/** State as loaded from the database. `checkStored` checks the rules and the announcement, which are stored as JSON. */
export type LoadedModeration = Omit<StoredModeration, 'rules' | 'announcement'> & {
  rules: Readonly<Record<string, unknown>>
  announcement: unknown
}

/** Change of roles, rules, restrictions, words or the announcement. `record` only writes the audit entry. */
export type ModerationChange =
  | { type: 'restrict'; restriction: NewRestriction; durationMs: number | null }
  | { type: 'end-restriction'; id: string }
  | { type: 'set-rules'; rules: Partial<RoomRules> }
  | { type: 'add-moderator'; accountId: string }
  | { type: 'remove-moderator'; accountId: string }
  | { type: 'add-word'; word: FilteredWord }
  | { type: 'remove-word'; word: string }
  | { type: 'announce'; announcement: Announcement | null }
  | { type: 'record' }

/** Actor of a change. The transaction that stores the change checks the role and the session of a moderator. */
export type StoredActor =
  | { kind: 'operator' }
  | { kind: 'moderator'; accountId: string; name: string; tokenHash: string }

/** Command of the operator, such as 'users rename'. Pages show the command unchanged. */
export type CommandName = `${string} ${string}`

export interface ChangeRecord {
  actor: StoredActor
  action: AuditAction | CommandName
  target: string
  /** Id of the account that the action affects, or `null`. An export or erasure of the account includes the entry. */
  targetId: string | null
  reason: string | null
}

/**
 * Reason why a change is rejected. `no_role`: the actor is not a moderator, or no longer logged in. `not_found`: there is
 * no such account, moderator, restriction or word. `is_moderator`: a moderator may not restrict a moderator. `too_many`:
 * the list of words or restrictions is full.
 */
export type ChangeProblem = 'no_role' | 'not_found' | 'is_moderator' | 'too_many'

export type ChangeOutcome =
  | { isDone: true; endsAtMs: number | null; hasWithdrawnRole: boolean }
  | { isDone: false; problem: ChangeProblem }

export const maxFilteredWords = 1_000
export const maxRestrictions = 10_000
export const auditLifetimeMs = 90 * 24 * 3_600_000
/**
 * Retention of the networks of an account. A restriction covers the networks that the account used within this time
 * before the restriction was created, and the networks that the account uses later.
 */
export const accountNetworkLifetimeMs = 24 * 3_600_000
/** Maximum number of stored networks per account. Above it, the store deletes the least recently used ones. */
export const maxAccountNetworks = 1_000
/** Name of the operator in the audit. */
export const operatorName = 'operator'
/** Text that replaces the name of an erased user in the audit and in restrictions. */
export const erasedName = 'erased user'

/** Storage of roles, rules, restrictions and the audit. Every implementation passes `moderation-store.suite.ts`. */
export interface ModerationStore {
  load(): Promise<LoadedModeration>
  /** Stores the change and its audit entry together, or neither. */
  apply(change: ModerationChange, record: ChangeRecord): Promise<ChangeOutcome>
  /** Returns whether the actor is the operator, or a moderator with a valid session. */
  isAllowed(actor: StoredActor): Promise<boolean>
  /** Returns up to `limit` audit entries younger than `auditLifetimeMs`, newest first; with `accountId`, only those by or on it. */
  listAudit(limit: number, accountId?: string): Promise<AuditEntry[]>
  /** Records that an account has used a network just now. */
  noteNetwork(accountId: string, network: string): Promise<void>
  /** Returns the stored networks of an account, the last used first. */
  listNetworks(accountId: string): Promise<{ network: string; usedAtMs: number }[]>
  /**
   * Replaces the present and former names of an account in the audit and in restrictions. Deletes the reasons of actions
   * on the account.
   */
  eraseNames(accountId: string): Promise<void>
  /** Deletes ended restrictions, old audit entries, and the old networks of accounts that have no restriction. */
  sweep(): Promise<void>
}
