import type { ChatMessage } from '../../../../contract/messages.ts'
import type { LogEntry, MessageSender } from '../../../room/message-log.ts'
import type { RedisReply } from '../redis-connection.ts'

/**
 * First line of a stored text. The last element is 1 when the message is removed. Scripts must compare an element with a
 * value, because cjson decodes `null` to a value that is true in Lua.
 */
type SenderLine = [username: string, accountId?: string | null, network?: string | null, removed?: 1]

/**
 * Returns the stored text of a message: two lines of JSON. The first one is about the sender. The second one must match
 * when a sender repeats an id.
 */
export const encodeMessage = ({ message: { username, message, createdTime }, sender }: LogEntry): string =>
  `${JSON.stringify([username, sender.accountId, sender.network])}\n${JSON.stringify([message, createdTime])}`

/** Decodes a stored text; `null` if it is missing. */
export function decodeMessage(text: RedisReply | undefined): ChatMessage | null {
  if (typeof text !== 'string') return null
  const [sender = '', body = ''] = text.split('\n')
  const [username] = JSON.parse(sender) as SenderLine
  const [message, createdTime] = JSON.parse(body) as [string, number]
  return { username, message, createdTime }
}

/**
 * Decodes the sender of a stored text, and whether the text was removed. There is no sender if an earlier version
 * stored the message.
 */
export function decodeSender(text: RedisReply | undefined): { sender: MessageSender | null; removed: boolean } {
  if (typeof text !== 'string') return { sender: null, removed: false }
  const line = JSON.parse(text.split('\n', 1)[0] ?? '') as SenderLine
  const [, accountId = null, network = null, removed] = line
  return { sender: network === null ? null : { accountId, network }, removed: removed === 1 }
}

/** Decodes the fields of an entry of an earlier version, which holds its text. */
export function decodeEarlierMessage(fields: ReadonlyMap<string, string>): ChatMessage | null {
  const [username, message, createdTime] = ['u', 'm', 't'].map((name) => fields.get(name))
  if (username === undefined || message === undefined) return null
  return { username, message, createdTime: Number(createdTime) }
}
