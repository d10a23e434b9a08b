import { createWriteStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import type { ChatMessage, Cursor } from '../../contract/messages.ts'

/**
 * `returning`: comes back to where it stood and is owed everything since.
 * `plain`: speaks the specified events alone, and is owed what is said while it is connected.
 */
export type ClientRole = 'returning' | 'plain'

/** What a client or the server's keeper saw. `key` names a message: its sender, then the sender's own count. */
export type HistoryEvent =
  | { type: 'opened'; role: ClientRole | 'server' | 'log' }
  | { type: 'connected'; transport: string }
  | { type: 'disconnected'; reason: string }
  | ({ type: 'cursor' } & Cursor)
  | ({ type: 'resume' } & Cursor)
  | { type: 'gap'; from: Cursor; to: Cursor }
  /** A message that the client had already, on a connection on which it had asked for nothing. */
  | ({ type: 'dropped' } & Cursor)
  /** Send was pressed; what became of it must be told. */
  | { type: 'pressed'; key: string }
  | { type: 'sent'; key: string; body: string; attempt: number; after?: Cursor }
  | { type: 'acked'; key: string; seq?: number }
  | { type: 'refused'; key: string; code: string }
  | { type: 'abandoned'; key: string }
  | { type: 'received'; key: string; body: string; epoch?: string; seq?: number }
  | { type: 'crashed'; how: string }
  | { type: 'overdue'; tookMs: number }
  /** The log was put back to an older state. */
  | { type: 'restored' }
  /** Told by the log itself, read from its start when all is over. */
  | ({ type: 'stored'; key: string; body: string } & Cursor)
  /** A fault has begun, or is over: of everybody in the server's history, of one connection in a client's. */
  | { type: 'disturbed'; now: boolean }
  /** At rest, somebody's list of who is online is not the truth. */
  | { type: 'wrong presence'; watcher: string; differs: string[] }

/** `at` is milliseconds on the one monotonic clock of the process that runs all clients. */
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
      // A late event of a client that is being closed has nowhere to go.
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

/** A message's text begins with its key. */
export function keyOf({ message }: ChatMessage): string {
  return message.split(' ', 1)[0] ?? ''
}

/** All that must arrive as it was sent. The name is not in it: the server decides about that. */
type Body = Record<Exclude<keyof ChatMessage, 'username'>, unknown>

/** Tells a message from one that was changed on its way. */
export function bodyOf({ message, createdTime }: ChatMessage): string {
  const body: Body = { createdTime, message }
  return crc32(Object.values(body).join(' ')).toString(16)
}
