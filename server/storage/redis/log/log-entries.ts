import { randomUUID } from 'node:crypto'
import type { RedisReply } from '../redis-connection.ts'
import type { AppendOutcome, LogEntry, StoredMessage } from '../../../room/message-log.ts'

const maxEntriesPerCall = 256
const maxCharactersPerCall = 256 * 1_024

/** One without a sender's id gets one of ours: a second attempt after a lost answer must be safe for it too. */
export const withIds = (entries: readonly LogEntry[]): LogEntry[] =>
  entries.map((entry) => ({ ...entry, id: entry.id ?? randomUUID() }))

/** As many as one script may take: while it runs, Redis does nothing else. */
export function partsOf(entries: readonly LogEntry[]): LogEntry[][] {
  const parts: LogEntry[][] = []
  let characters = 0
  for (const entry of entries) {
    const part = parts.at(-1)
    characters += entry.message.message.length
    if (part === undefined || part.length === maxEntriesPerCall || characters > maxCharactersPerCall) {
      parts.push([entry])
      characters = entry.message.message.length
    } else part.push(entry)
  }
  return parts
}

export function argsOf({ id, message: { username, message, createdTime }, after }: LogEntry): (string | number)[] {
  return [id ?? '', username, message, createdTime, after?.epoch ?? '', after?.seq ?? '']
}

export function outcomeOf(text: RedisReply): AppendOutcome {
  if (text === 'id_conflict' || text === 'expired') return { refused: text }
  const answer = String(text)
  return answer.startsWith('=')
    ? { seq: Number(answer.slice(1)), repeated: true }
    : { seq: Number(answer), repeated: false }
}

/** By their names, as the script has stored them: an entry from before a field was there has none of it. */
function fieldsOf(pairs: RedisReply | undefined): Record<string, string> {
  const fields: Record<string, string> = {}
  if (!Array.isArray(pairs)) return fields
  for (let i = 0; i + 1 < pairs.length; i += 2) fields[String(pairs[i])] = String(pairs[i + 1])
  return fields
}

/** Entries as XRANGE and XREAD give them: [id, [field, value, ...]]. */
export function messagesOf(entries: RedisReply | undefined): StoredMessage[] {
  if (!Array.isArray(entries)) return []
  return entries.map((entry) => {
    const [id, pairs] = Array.isArray(entry) ? entry : []
    const { u: username = '', m: message = '', t: createdTime } = fieldsOf(pairs)
    return {
      seq: Number.parseInt(String(id), 10),
      message: { username, message, createdTime: Number(createdTime) },
    }
  })
}
