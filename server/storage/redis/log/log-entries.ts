import { randomUUID } from 'node:crypto'
import type { RedisReply } from '../redis-connection.ts'
import type { AppendOutcome, LogEntry, StoredMessage } from '../../../room/message-log.ts'
import { decodeMessage, encodeMessage } from './message-codec.ts'

const maxEntriesPerCall = 256
const maxCharactersPerCall = 256 * 1_024

/** Gives each entry without an id a random one, so that a retry after a lost reply stores it only once. */
export const withIds = (entries: readonly LogEntry[]): LogEntry[] =>
  entries.map((entry) => ({ ...entry, id: entry.id ?? randomUUID() }))

/** Splits entries into script calls of limited size, because Redis serves no other command while a script runs. */
export function splitIntoCalls(entries: readonly LogEntry[]): LogEntry[][] {
  const calls: LogEntry[][] = []
  let characters = 0
  for (const entry of entries) {
    const call = calls.at(-1)
    characters += entry.message.message.length
    if (call === undefined || call.length === maxEntriesPerCall || characters > maxCharactersPerCall) {
      calls.push([entry])
      characters = entry.message.message.length
    } else call.push(entry)
  }
  return calls
}

/** Returns the arguments of one entry for `appendScript`. */
export function encodeEntry({ id, message, after }: LogEntry): (string | number)[] {
  return [id ?? '', ...encodeMessage(message), after?.epoch ?? '', after?.seq ?? '']
}

export function decodeOutcome(reply: RedisReply): AppendOutcome {
  if (reply === 'id_conflict' || reply === 'expired') return { rejected: reply }
  const text = String(reply)
  return text.startsWith('=') ? { seq: Number(text.slice(1)), repeated: true } : { seq: Number(text), repeated: false }
}

/** Decodes the entries of a reply to XRANGE or XREAD: `[id, [field, value, ...]]`. */
export function decodeEntries(entries: RedisReply | undefined): StoredMessage[] {
  if (!Array.isArray(entries)) return []
  return entries.map((entry) => {
    const [id, fields] = Array.isArray(entry) ? entry : []
    return { seq: Number.parseInt(String(id), 10), message: decodeMessage(fields) }
  })
}
