import type { ChatMessage } from '../../../../contract/messages.ts'

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
