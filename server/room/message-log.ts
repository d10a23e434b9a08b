import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import type { SendRejectionCode } from '../../contract/rejections.ts'

export interface LogEntry {
  message: ChatMessage
  /** The sender's id for it; a second entry with the same id adds nothing. */
  id: string | null
  /** Where the sender stood when it first sent this: further back than the log reaches, a repeat cannot be recognised. */
  after: Cursor | null
}

export type AppendOutcome =
  | { seq: number; repeated: boolean }
  | { rejected: Extract<SendRejectionCode, 'id_conflict' | 'expired'> }

export interface StoredMessage {
  seq: number
  message: ChatMessage
}

export interface LogRange {
  /** The oldest seq still held; `head + 1` when none is. */
  oldest: number
  /** The newest seq ever given out. */
  head: number
}

/** Where the log stands, so far as the listener has been told. */
export interface LogBounds extends LogRange {
  epoch: string
}

/** Messages of one epoch, dense; none where an append held nothing but repeats. */
export interface StoredBatch {
  epoch: string
  messages: readonly StoredMessage[]
}

/** Receives what any process stores. */
export interface LogListener {
  /** A stored batch, which continues right after the batch before it. */
  onStored(batch: StoredBatch): void
  /** The log does not continue: it was wiped, restored or lost its tail, or this process was away past the retention. */
  onLogBroken(stand: LogBounds): void
}

/** The truth about the room. Every implementation passes `message-log.suite.ts`. */
export interface MessageLog {
  bounds(): LogBounds
  /** Calls the listener for everything after the current `stand()`. */
  subscribe(listener: LogListener): void
  /**
   * One transaction: all of it is stored when `settle` is called with what became of each entry. A rejection means that
   * nothing is known to be stored; a log that others share may hold it all the same, and a repeat of the id finds out.
   * Embedded: `settle`, then `stored`, in one turn of the event loop. Shared: no order between the two.
   */
  append(entries: readonly LogEntry[], settle: (outcomes: readonly AppendOutcome[]) => void): Promise<void>
  /**
   * A place that this process has not heard of, because another one has told its reader more: resolves when it was
   * heard, or when it is clear that there is no such place; rejects while that cannot be known, or the log is another
   * one by now. `null` where no other process can know more.
   */
  catchUp(cursor: Cursor): Promise<void> | null
  /**
   * Where a newcomer begins: the newest place by the log's own word, asked after this call. A reader that comes from
   * another process may have been shown all of it. `null` where no other process can know more than `stand`.
   */
  fetchHead(): Promise<Cursor> | null
  /** A page that begins at `cursor.seq + 1`, dense, never empty below the head; `null` when the log cannot bridge. */
  readAfter(cursor: Cursor, page: PageLimits): Promise<StoredMessage[] | null>
  /** Rejects while nothing can be stored, or what is stored is not heard. */
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

/** Whether everything after `cursor` is still held. */
export function canReplayFrom(cursor: Cursor, { epoch, oldest, head }: LogBounds): boolean {
  return cursor.epoch === epoch && cursor.seq >= oldest - 1 && cursor.seq <= head
}

/** What an append has added: neither repeats nor what was refused. */
export function addedMessages(entries: readonly LogEntry[], outcomes: readonly AppendOutcome[]): StoredMessage[] {
  const fresh: StoredMessage[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const message = entries[index]?.message
    if (message !== undefined && 'seq' in outcome && !outcome.repeated) fresh.push({ seq: outcome.seq, message })
  }
  return fresh
}
