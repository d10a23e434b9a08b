import { splitBySize } from '../../../base/split-by-size.ts'
import { cursorAt, lastSeqUpTo, type Lineage } from '../../../room/lineage.ts'
import {
  type AppendOutcome,
  appendRejectionCodes,
  type OperatorMessage,
  type LogEntry,
  type StoredMessage,
} from '../../../room/message-log.ts'
import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { termField, textsKey } from './log-scripts.ts'
import { decodeEarlierMessage, decodeMessage, encodeMessage } from './message-codec.ts'

/** Splits entries into script calls of limited size, because Redis serves no other command while a script runs. */
export const splitIntoCalls = (entries: readonly LogEntry[]) =>
  splitBySize(entries, ({ message }) => message.message.length, { maxSize: 256 * 1_024, maxItems: 256 })

/** Returns the arguments of one entry for `appendScript`, which compares `after` with the bounds of the log. */
export function encodeEntry(entry: LogEntry, lineage: Lineage): (string | number)[] {
  const { id, after } = entry
  const isOnLineage = after !== null && lastSeqUpTo(after, lineage) === after.seq
  return [id ?? '', encodeMessage(entry), after === null ? '' : isOnLineage ? after.seq : -1]
}

export function decodeOutcome(reply: RedisReply): AppendOutcome {
  const text = String(reply)
  const rejected = appendRejectionCodes.find((code) => code === text)
  if (rejected !== undefined) return { rejected }
  return text.startsWith('=') ? { seq: Number(text.slice(1)), repeated: true } : { seq: Number(text), repeated: false }
}

/** Decodes stream entries, `[id, [field, value, ...]]`, up to the first whose term differs from that of its seq in the lineage. */
export function decodeEntries(entries: RedisReply | undefined, lineage: Lineage) {
  const decoded = Array.isArray(entries) ? entries.map(decodeEntry) : []
  const unknown = decoded.findIndex(({ seq, fields }) => {
    const term = fields.get(termField)
    return term !== undefined && term !== cursorAt(lineage, seq).term
  })
  return { known: unknown === -1 ? decoded : decoded.slice(0, unknown), hasUnknownTerm: unknown !== -1 }
}

type Entry = ReturnType<typeof decodeEntry>

function decodeEntry(entry: RedisReply) {
  const [id, words] = Array.isArray(entry) ? entry : []
  const fields = new Map<string, string>()
  if (Array.isArray(words)) {
    for (let i = 0; i + 1 < words.length; i += 2) fields.set(String(words[i]), String(words[i + 1]))
  }
  return { seq: Number.parseInt(String(id), 10), fields }
}

/** Fetches the texts and senders of entries. Leaves out a message whose text was trimmed meanwhile. */
export async function fetchListed(
  connection: RedisConnection,
  log: string,
  entries: readonly Entry[],
): Promise<OperatorMessage[]> {
  if (entries.length === 0) return []
  const texts = await connection.command(['HMGET', textsKey(log), ...entries.map(({ seq }) => `${seq}`)])
  return entries.flatMap(({ seq, fields }, index) => {
    const found = decodeMessage(Array.isArray(texts) ? texts[index] : undefined) ?? decodeEarlierMessage(fields)
    return found === null ? [] : [{ seq, ...found }]
  })
}

/** Fetches the texts of entries, as `fetchListed` does. */
export const fetchMessages = async (...args: Parameters<typeof fetchListed>): Promise<StoredMessage[]> =>
  (await fetchListed(...args)).map(({ seq, message }) => ({ seq, message }))
