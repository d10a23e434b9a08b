import { Compile } from 'typebox/compile'
import { initialAnonymousName } from '../../contract/constants.ts'
import { countCharacters, maxMessageCharacters, maxNameCharacters } from '../../contract/limits.ts'
import { ChatMessage, SendOptions } from '../../contract/messages.ts'
import { anonymousLabel, cleanAnonymousName } from '../../contract/names.ts'
import { RefusalError } from '../refusal-error.ts'
import type { LogEntry } from './message-log.ts'

const isChatMessage = Compile(ChatMessage)
const isSendOptions = Compile(SendOptions)

/**
 * What a sender wants stored, as the room will show it. Who the sender is, the server decides: an account speaks
 * under its name, everybody else under a label that no account can have.
 */
export function entryToStore(payload: unknown, options: unknown, accountName: string | null): LogEntry {
  if (!isChatMessage.Check(payload)) {
    throw new RefusalError('invalid', 'A message needs username, message and createdTime (epoch milliseconds).')
  }
  if (options !== undefined && !isSendOptions.Check(options)) {
    throw new RefusalError('invalid', 'The options behind the message need an id (a UUID).')
  }
  const { message, createdTime } = payload
  if (message.trim() === '') throw new RefusalError('invalid', 'The message is empty.')
  if (message.length > maxMessageCharacters && countCharacters(message) > maxMessageCharacters) {
    throw new RefusalError('too_long', `The message is longer than ${maxMessageCharacters} characters.`)
  }
  if (!message.isWellFormed()) throw new RefusalError('invalid', 'The message is not valid Unicode text.')
  const username = accountName ?? labelFor(payload.username)
  return {
    message: { username, message, createdTime },
    id: options?.id.toLowerCase() ?? null,
    after: options?.after ?? null,
  }
}

function labelFor(typedName: string): string {
  if (typedName.trim() === '') throw new RefusalError('invalid', 'The username is empty.')
  // Cleaning is linear work, but not for free: what no page can send is not cleaned first.
  if (typedName.length > maxNameCharacters * 8) throw nameTooLong()
  const name = cleanAnonymousName(typedName)
  if (countCharacters(name) > maxNameCharacters) throw nameTooLong()
  return anonymousLabel(name === '' ? initialAnonymousName : name)
}

function nameTooLong(): RefusalError<'too_long'> {
  return new RefusalError('too_long', `The username is longer than ${maxNameCharacters} characters.`)
}
