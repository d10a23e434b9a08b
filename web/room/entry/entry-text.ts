import type { ChatMessage } from '../../../contract/messages.ts'
import type { Entry } from '../../connection/receive/message-buffer.ts'
import { oneLine } from './one-line.ts'
import { timeText } from './time-format.ts'

/** Displayed parts of a message: every field of `ChatMessage`, so that a new field does not compile until it is added. */
export type EntryParts = { time: string } & {
  [Field in Exclude<keyof ChatMessage, 'createdTime'>]: ChatMessage[Field]
}

export function entryParts({ createdTime, username, message }: ChatMessage): EntryParts {
  return { time: timeText(createdTime), username, message }
}

/**
 * Text between the sender and the message of an entry. Without a separator, the start of a message would look like a
 * part of the name.
 */
export const separator = ' : '

export const textWithSender = ({ username, message }: Pick<ChatMessage, 'message' | 'username'>): string =>
  username + separator + message

/** Returns an entry as one line of text: '[local date-time] username : message'. */
export const entryText = (entry: ChatMessage): string =>
  oneLine(`[${timeText(entry.createdTime)}] ${textWithSender(entry)}`)

/**
 * Returns the length of the prefix that a time shares with the time of the previous entry, in whole words. The prefix is
 * usually the date. In locales that put the date last, different times share nothing.
 */
export function sharedTimePrefixLength(time: string, previous: Entry | undefined): number {
  if (previous?.kind !== 'message') return 0
  const previousTime = timeText(previous.message.createdTime)
  let common = 0
  while (common < time.length && time[common] === previousTime[common]) common++
  return common === time.length ? common : time.slice(0, common).search(/[^\s]*$/)
}
