import { Compile } from 'typebox/compile'
import { anonymousLabel } from '../../../contract/anonymous-label.ts'
import { initialAnonymousName } from '../../../contract/constants.ts'
import {
  countCharacters,
  maxMessageCharacters,
  maxNameCharacters,
  maxTypedNameUnits,
} from '../../../contract/limits.ts'
import { isBlank } from '../../../contract/message-text.ts'
import { ChatMessage, SendOptions } from '../../../contract/messages.ts'
import { cleanAnonymousName } from '../../../contract/names.ts'
import { RejectionError } from '../../base/rejection-error.ts'
import { envelopeBytes } from '../../limits/send-rate.ts'
import { knownFieldsOf } from '../known-fields.ts'
import type { LogEntry } from '../message-log.ts'
import { hasForbiddenControl, limitCombiningMarks, normaliseLineBreaks } from './message-text.ts'

const isChatMessage = Compile(ChatMessage)
const isSendOptions = Compile(SendOptions)

/**
 * Returns the log entry, without its sender, for a message that a client sent. The server decides the name: an account
 * sends under its own name, every other sender under a label that no account can have. The length and the rate limit
 * are checked before the characters of the text. `takeSendToken` gets the approximate size of the message as JSON and throws if
 * the sender exceeds its rate.
 */
export function entryToStore(
  payload: unknown,
  givenOptions: unknown,
  accountName: string | null,
  takeSendToken: (messageBytes: number) => void,
): Omit<LogEntry, 'sender'> {
  if (!isChatMessage.Check(payload)) {
    throw new RejectionError(
      'invalid',
      'A message needs username, message and createdTime (a whole number of milliseconds since 1970).',
    )
  }
  // A client that passes no options may send null, because JSON has no `undefined`.
  const options = givenOptions ?? undefined
  if (options !== undefined && !isSendOptions.Check(options)) {
    throw new RejectionError('invalid', 'The options of a message are an id (a UUID) and an optional cursor (after).')
  }
  const { username: typedName, message: typed, createdTime } = payload
  checkLength(typed)
  if (accountName === null && typedName.length > maxTypedNameUnits) throw nameTooLong()
  takeSendToken(envelopeBytes + jsonBytes(accountName ?? typedName) + jsonBytes(typed))
  const message = messageText(typed)
  const username = accountName ?? labelFor(typedName)
  return {
    message: { username, message, createdTime },
    id: options?.id.toLowerCase() ?? null,
    after: options?.after === undefined ? null : knownFieldsOf(options.after),
  }
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text))
}

function checkLength(message: string): void {
  if (message.length <= maxMessageCharacters) return
  // Counting is unnecessary when the text is too long even if every character takes two UTF-16 units.
  if (message.length > maxMessageCharacters * 2 || countCharacters(message) > maxMessageCharacters) {
    throw new RejectionError('too_long', `The message is longer than ${maxMessageCharacters} characters.`)
  }
}

function messageText(typed: string): string {
  if (!typed.isWellFormed()) throw new RejectionError('invalid', 'The message is not valid Unicode text.')
  if (isBlank(typed)) throw new RejectionError('invalid', 'The message is empty.')
  if (hasForbiddenControl(typed)) throw new RejectionError('invalid', 'The message contains control characters.')
  return normaliseLineBreaks(limitCombiningMarks(typed))
}

function labelFor(typedName: string): string {
  if (typedName.trim() === '') throw new RejectionError('invalid', 'The username is empty.')
  const name = cleanAnonymousName(typedName)
  if (name === null) throw nameTooLong()
  return anonymousLabel(name === '' ? initialAnonymousName : name)
}

function nameTooLong(): RejectionError<'too_long'> {
  return new RejectionError('too_long', `The username is longer than ${maxNameCharacters} characters.`)
}
