import type { ChatMessage } from '../../../../contract/messages.ts'
import { type MessageSender, type OperatorMessage, storedSender } from '../../../room/message-log.ts'

/** Column of each message property in the table `messages`. */
const columns = {
  username: 'username',
  message: 'message',
  createdTime: 'created_time',
} as const satisfies Record<keyof ChatMessage, string>

const properties = Object.keys(columns) as (keyof ChatMessage)[]

export const messageColumns = Object.values(columns).join(', ')
export const messagePlaceholders = properties.map(() => '?').join(', ')

/** Row with `messageColumns`. */
export type MessageRow = { [Name in keyof ChatMessage as (typeof columns)[Name]]: ChatMessage[Name] }

/** Returns the values for `messageColumns`. */
export const encodeMessage = (message: ChatMessage): (string | number)[] => properties.map((name) => message[name])

export const decodeMessage = (row: MessageRow): ChatMessage => ({
  username: row[columns.username],
  message: row[columns.message],
  createdTime: row[columns.createdTime],
})

export const senderColumns = 'account_id, network'
export const listedColumns = `${messageColumns}, ${senderColumns}, removed`

interface SenderRow {
  account_id: string | null
  network: string | null
}

/** Row with `listedColumns` and its seq. */
export type ListedRow = MessageRow & SenderRow & { seq: number; removed: number }

/** Returns the values for `senderColumns`. */
export const encodeSender = ({ accountId, network }: MessageSender) => [accountId, network]

export const decodeListed = (row: ListedRow): OperatorMessage => ({
  seq: row.seq,
  message: decodeMessage(row),
  sender: storedSender(row.account_id, row.network),
  removed: row.removed === 1,
})
