import { createWriteStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'
import { removedText } from '../../contract/constants.ts'
import type { MessageContent, Restriction } from './restrictions.ts'

/**
 * Role of a client. `returning`: resumes from its cursor and must receive every later message. `plain`: uses only the
 * specified events and must receive the messages sent while it is connected.
 */
export type ClientRole = 'returning' | 'plain'

/** Side that can prove that a restore lost messages. If only the clients can, the log may keep its epoch. */
type RestoreProof = 'server' | 'clients'

/** Event that a client or the test itself observed. `key` identifies a message: its sender and the sender's count. */
export type HistoryEvent =
  | { type: 'opened'; role: ClientRole | 'server' | 'log' }
  | { type: 'connected'; transport: string }
  | { type: 'disconnected'; reason: string }
  | ({ type: 'cursor' } & Cursor)
  | ({ type: 'resume' } & Cursor)
  | { type: 'gap'; from: Cursor; to: Cursor }
  /** The client dropped a message that it already had and had not requested with `resume`. */
  | ({ type: 'dropped' } & Cursor)
  /** The user pressed Send. A later event must have the same key. */
  | { type: 'pressed'; key: string }
  /** The client sent a message. `token`: the login of the sender, if it has one. */
  | ({ type: 'sent'; key: string; body: string; attempt: number; after?: Cursor; token?: string } & MessageContent)
  | { type: 'acked'; key: string; seq?: number }
  | { type: 'rejected'; key: string; code: string }
  | { type: 'abandoned'; key: string }
  /**
   * The client received a message. `removed`: the message came without its text, and key and body are those of the
   * replacement.
   */
  | { type: 'received'; key: string; body: string; epoch?: string; seq?: number; term?: string; removed?: boolean }
  | { type: 'crashed'; exit: string }
  | { type: 'drain timeout'; tookMs: number }
  /** The log was restored to an older state or wiped. */
  | { type: 'restored'; provenBy?: RestoreProof }
  /** The log contains this message. The test reads the log from its start after the run. */
  | ({ type: 'stored'; key: string; body: string; removed?: boolean } & Cursor)
  /** A moderator removes a message. */
  | ({ type: 'removing'; key: string; body: string } & Cursor)
  /** The removal was acknowledged. */
  | ({ type: 'removed' } & Cursor)
  /** A moderator restricts a client or sets a rule of the room. */
  | ({ type: 'restricting' } & Restriction)
  /**
   * State of a restriction. `restricted`: acknowledged. `lifting`: its end was requested. `lifted`: the end was
   * acknowledged.
   */
  | { type: 'restricted' | 'lifting' | 'lifted'; id: string }
  /** State of a revocation. `revoking`: the revocation of a login was requested. `revoked`: it was acknowledged. */
  | { type: 'revoking' | 'revoked'; token: string }
  /** A client was notified of removals. */
  | { type: 'removal'; seqs: number[]; removals: number }
  /**
   * A fault started or ended. In the history of the server it affects all clients, in the history of a client only that
   * client.
   */
  | { type: 'fault'; isActive: boolean }
  /** After the run, a list of online users differs from the connected clients. */
  | { type: 'wrong presence'; observer: string; differences: string[] }

/**
 * Event with its time in milliseconds of `performance.now()`. One process runs all clients, so their times are comparable.
 */
type TimedEvent = HistoryEvent & { at: number }

export interface History {
  name: string
  events: TimedEvent[]
}

export type HistoryWriter = ReturnType<typeof createHistoryWriter>

export function createHistoryWriter(folder: string, name: string) {
  const file = createWriteStream(join(folder, `${name}.jsonl`))
  return {
    record(event: HistoryEvent): void {
      // A client that is being closed may still record an event.
      if (file.writableEnded) return
      file.write(`${JSON.stringify({ at: Number(performance.now().toFixed(3)), ...event })}\n`)
    },
    async close(): Promise<void> {
      file.end()
      await finished(file)
    },
  }
}

export async function readHistories(folder: string): Promise<History[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.jsonl')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n').filter((line) => line !== '')
      return { name: file.slice(0, -'.jsonl'.length), events: lines.map((line) => JSON.parse(line) as TimedEvent) }
    }),
  )
}

export function messageKey(sender: string, count: number): string {
  return `${sender}/${count}`
}

/** Returns the key of a message, which is the first word of its text. */
export function keyOf({ message }: ChatMessage): string {
  return message.split(' ', 1)[0] ?? ''
}

/** Returns the mark `removed` for a message whose text was removed, and an empty object for other messages. */
export const removedMark = ({ message }: ChatMessage) => (message === removedText ? { removed: true } : {})

/** Fields that must arrive unchanged. The server may change the user name. */
type Body = Record<Exclude<keyof ChatMessage, 'username'>, unknown>

/** Returns a checksum of the text and the time, which differs if a message changed in transit. */
export function bodyOf({ message, createdTime }: ChatMessage): string {
  const body: Body = { createdTime, message }
  return crc32(Object.values(body).join(' ')).toString(16)
}
