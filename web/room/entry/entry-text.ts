import type { ChatMessage } from '../../../contract/messages.ts'
import type { Entry } from '../../connection/receive/message-buffer.ts'

/** Every field of a message, named: one that is new has no place here until somebody gives it one, and does not compile. */
export type EntryParts = { time: string } & {
  [Field in Exclude<keyof ChatMessage, 'createdTime'>]: ChatMessage[Field]
}

export const timeText = (createdTime: number) => new Date(createdTime).toLocaleString()

export function entryParts({ createdTime, username, message }: ChatMessage): EntryParts {
  return { time: timeText(createdTime), username, message }
}

/** An entry of the list, as text: '[local date-time] username : message'. */
export function entryText(entry: ChatMessage): string {
  const { time, username, message } = entryParts(entry)
  return `[${time}] ${username} : ${message}`
}

/**
 * How much of a time's beginning only says again what the entry before says, whole words and numbers only;
 * as a rule the date. No locale is asked for its order: where the date comes last, nothing repeats.
 */
export function sharedTimePrefixLength(time: string, before: Entry | undefined): number {
  if (before?.kind !== 'message') return 0
  const previous = timeText(before.message.createdTime)
  let common = 0
  while (common < time.length && time[common] === previous[common]) common++
  return common === time.length ? common : time.slice(0, common).search(/[^\s]*$/)
}
