import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import type { SendRefusalCode } from '../../contract/refusals.ts'

export interface LogEntry {
  message: ChatMessage
  /** The sender's id for it; a second entry with the same id adds nothing. */
  id: string | null
  /** Where the sender stood when it first sent this: further back than the log reaches, a repeat cannot be recognised. */
  after: Cursor | null
}

export type AppendOutcome =
  | { seq: number; repeated: boolean }
  | { refused: Extract<SendRefusalCode, 'id_conflict' | 'expired'> }

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

/** The truth about the room. Every implementation passes `message-log.suite.ts`. */
export interface MessageLog {
  readonly epoch: string
  range(): LogRange
  /** One transaction: all of it is stored when this resolves, nothing of it when it rejects. */
  append(entries: LogEntry[]): Promise<AppendOutcome[]>
  /** What follows `afterSeq`, a page of it; `null` when the log no longer reaches back so far. */
  readAfter(afterSeq: number, page: ReadPage): Promise<StoredMessage[] | null>
  /** Rejects while nothing can be stored. */
  checkWritable(): Promise<void>
  close(): Promise<void>
}

export interface ReadPage {
  maxMessages: number
  maxCharacters: number
}

export interface Retention {
  maxAgeMs: number
  maxMessages: number
}

/** Whether everything after `cursor` is still held. */
export function reachesBackTo(cursor: Cursor, epoch: string, { oldest, head }: LogRange): boolean {
  return cursor.epoch === epoch && cursor.seq >= oldest - 1 && cursor.seq <= head
}
