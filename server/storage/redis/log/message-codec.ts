import { type LogEntry, type OperatorMessage, storedSender } from '../../../room/message-log.ts'
import type { RedisReply } from '../redis-connection.ts'

/**
 * First line of a stored text. The last element is 1 when the message is removed. Scripts must compare an element with a
 * value, because cjson decodes `null` to a value that is true in Lua.
 */
type SenderLine = [username: string, accountId?: string | null, network?: string | null, removed?: 1]

/**
 * Returns the stored text of a message: two lines of JSON. The first line holds the name and the sender. When a client
 * repeats an id, the second line must match; for a removed message, only the time in it must match.
 */
export const encodeMessage = ({ message: { username, message, createdTime }, sender }: LogEntry): string =>
  `${JSON.stringify([username, sender.accountId, sender.network])}\n${JSON.stringify([message, createdTime])}`

type DecodedMessage = Omit<OperatorMessage, 'seq'>

/** Decodes a stored text; `null` if it is missing. */
export function decodeMessage(text: RedisReply | undefined): DecodedMessage | null {
  if (typeof text !== 'string') return null
  const [line = '', body = ''] = text.split('\n')
  const [username, accountId = null, network = null, removed] = JSON.parse(line) as SenderLine
  const [message, createdTime] = JSON.parse(body) as [string, number]
  const sender = storedSender(accountId, network)
  return { message: { username, message, createdTime }, sender, removed: removed === 1 }
}

/** Decodes the fields of an entry of an earlier version, which holds its text; `null` for other entries. */
export function decodeEarlierMessage(fields: ReadonlyMap<string, string>): DecodedMessage | null {
  const [username, message, createdTime] = ['u', 'm', 't'].map((name) => fields.get(name))
  if (username === undefined || message === undefined) return null
  return { message: { username, message, createdTime: Number(createdTime) }, sender: null, removed: false }
}
