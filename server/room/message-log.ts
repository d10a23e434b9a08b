import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'
import type { Lineage } from './lineage.ts'
import type { Removal, RemovalHistory } from './removals.ts'

/**
 * Sender of a message. The log stores and deletes these fields with the message, and clients never receive them. Only
 * `accountId` proves who wrote a message: many users can share a network.
 */
export interface MessageSender {
  /** Id of the sender's account; `null` for an anonymous sender. */
  accountId: string | null
  /** Network of the sender: the IPv4 address, the IPv6 /64, or `unknownAddress`. */
  network: string
}

/** Sender of a stored message. An account is known even without its network. An anonymous sender needs a network. */
export type StoredSender = { accountId: string; network: string | null } | { accountId: null; network: string }

/** Returns the sender with these stored values; `null` if both are missing. An empty network counts as missing. */
export function storedSender(accountId: string | null, network: string | null): StoredSender | null {
  const known = network === '' ? null : network
  if (accountId !== null) return { accountId, network: known }
  return known === null ? null : { accountId, network: known }
}

export interface LogEntry {
  message: ChatMessage
  sender: MessageSender
  /** Id chosen by the sender. The log does not store an entry whose id it already holds. */
  id: string | null
  /** Position of the sender at its first attempt. If the log was trimmed past it, a repeat cannot be detected. */
  after: Cursor | null
}

/** Returns an entry that the log acknowledges only if it is a repeat. If its id is not stored, the log rejects it as `expired`. */
export const onlyAsRepeat = (entry: LogEntry): LogEntry => ({ ...entry, after: { epoch: '', seq: 0 } })

/** Codes with which a log rejects a message. `appendScript` of Redis returns the first two as they are. */
export const appendRejectionCodes = [
  'id_conflict',
  'expired',
  'unauthorized',
] as const satisfies readonly SendRejectionCode[]
export type AppendRejectionCode = (typeof appendRejectionCodes)[number]

export type AppendOutcome = { seq: number; repeated: boolean } | { rejected: AppendRejectionCode }

export interface StoredMessage {
  seq: number
  message: ChatMessage
}

/** Stored message as the operator sees it. Clients never receive the sender. */
export interface OperatorMessage extends StoredMessage {
  /** Sender of the message; `null` if it is not known, as in a message of an earlier version. */
  sender: StoredSender | null
  removed: boolean
}

export interface LogRange {
  /** Oldest seq still stored; `head + 1` when the log is empty. */
  oldest: number
  /** Newest seq ever assigned. */
  head: number
}

/** Bounds of the log, up to the newest message that the listener has received. */
export interface LogBounds extends LogRange {
  epoch: string
}

/** Messages of one epoch with consecutive seqs. `messages` is empty when an append added no message. */
export interface StoredBatch {
  epoch: string
  messages: readonly StoredMessage[]
}

/** Listener for the changes that any process makes to the log. A listener must not throw. */
export interface LogListener {
  /** Receives a stored batch. It continues directly after the previous batch. */
  onStored(batch: StoredBatch): void
  /**
   * Receives a removal. A removed message that the listener receives afterwards has `removedText` as its text. The message
   * may also be older than the subscription.
   */
  onRemoved(removal: Removal): void
  /**
   * Reports that the log does not continue: it was wiped, restored or lost its tail, or messages were trimmed before
   * this process read them. The next batch continues directly after the head of these bounds.
   */
  onLogBroken(bounds: LogBounds): void
}

/** Storage of the messages of the room. Every implementation passes `describeMessageLog` of `message-log.suite.ts`. */
export interface MessageLog {
  bounds(): LogBounds
  /** Returns the terms of the log. The newest term has the epoch of `bounds()`. */
  lineage(): Lineage
  /** Calls the listener for everything after the current `bounds()`. */
  subscribe(listener: LogListener): void
  /**
   * Stores the entries (an embedded log in one transaction, a shared log in one or more), then calls `acknowledge` with the
   * outcome of each. If the promise rejects, the caller cannot rely on any entry being stored. A shared log may hold some
   * entries nevertheless; a repeat with the same id then finds them. An embedded log calls `acknowledge`, then `onStored`,
   * in one turn of the event loop. A shared log calls them in any order. A shared log stores only entries whose senders are
   * allowed according to all cluster events up to now, and rejects the others as `unauthorized`. An embedded log ignores
   * `isAllowed`, because its process cannot miss an event.
   */
  append(
    entries: readonly LogEntry[],
    acknowledge: (outcomes: readonly AppendOutcome[]) => void,
    isAllowed?: (index: number) => boolean,
  ): Promise<void>
  /**
   * Waits for messages and removals that a client has received from another process, but this process has not. Resolves
   * when the listener has received those that the log has, or when the epoch changes. Rejects if the log cannot be read,
   * was replaced, or is read too late. Returns `null` when this process has received them, or no other process can be
   * ahead.
   */
  catchUp(cursor: Cursor): Promise<void> | null
  /**
   * Reads the head from the log itself, after this call. A client that was connected to another process may have
   * received everything up to it. Returns `null` when no other process can be ahead of `bounds()`.
   */
  fetchHead(): Promise<Cursor> | null
  /**
   * Returns consecutive messages from `cursor.seq + 1` on: at least one if the cursor is behind the head, none at the
   * head. Returns `null` if the epoch differs, the cursor is ahead of the head, or the first message was trimmed.
   */
  readAfter(cursor: Cursor, page: PageLimits): Promise<StoredMessage[] | null>
  /**
   * Erases the texts of messages. Resolves to the seqs that this call removed, after the listener has received them. Seqs
   * that are unknown, trimmed or already removed are ignored. A repeat with the id of a removed message gets the seq of that
   * message. The sender of a removed message stays known.
   */
  remove(seqs: readonly number[]): Promise<number[]>
  /** Returns the removals up to the newest one that the listener has received. */
  removals(): RemovalHistory
  /** Returns the sender of a message; `null` if the log does not hold the message or its sender. */
  senderOf(seq: number): Promise<(StoredSender & { username: string }) | null>
  /**
   * Returns the seqs of all messages of an account, or else of the anonymous senders of exactly this network, oldest
   * first. The CIDR range of a ban matches no message: to find messages of restricted senders, pass each sender to
   * `RestrictionIndex.find`. The empty network matches no message either.
   */
  seqsOfSender(sender: StoredSender): Promise<number[]>
  /** Returns up to `count` of the newest messages, or of the newest ones before a seq, oldest first, with their senders. */
  listForOperator(count: number, before?: number): Promise<OperatorMessage[]>
  /** Rejects while the log cannot store messages, or does not receive stored messages. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface PageLimits {
  maxMessages: number
  maxCharacters: number
}

export interface Retention {
  maxAgeMs: number
  maxMessages: number
}

/** Returns the messages that an append has added: neither repeated nor rejected ones. */
export function addedMessages(entries: readonly LogEntry[], outcomes: readonly AppendOutcome[]): StoredMessage[] {
  const added: StoredMessage[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const message = entries[index]?.message
    if (message !== undefined && 'seq' in outcome && !outcome.repeated) added.push({ seq: outcome.seq, message })
  }
  return added
}
