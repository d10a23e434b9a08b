import type { ChatMessage } from '../../../contract/messages.ts'

export interface EntryParts {
  time: string
  username: string
  message: string
}

export function entryParts({ createdTime, username, message }: ChatMessage): EntryParts {
  return { time: new Date(createdTime).toLocaleString(), username, message }
}

/** An entry of the list, as text: '[local date-time] username : message'. */
export function entryText(entry: ChatMessage): string {
  const { time, username, message } = entryParts(entry)
  return `[${time}] ${username} : ${message}`
}
