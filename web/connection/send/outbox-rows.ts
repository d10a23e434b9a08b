import { nameWithoutSuffix } from '../../../contract/anonymous-label.ts'
import { isBlank } from '../../../contract/message-text.ts'
import {
  accountOf,
  emptyDraft,
  findMessage,
  heldState,
  isPending,
  type OutboxMessage,
  type Sender,
  wasEmitted,
  withoutMessage,
} from './sender.ts'

/** Returns the outbox messages to show above the field: all except the message that the field shows. */
export function outboxRows({
  outbox,
  fieldMessageId,
}: Pick<Sender, 'outbox' | 'fieldMessageId'>): readonly OutboxMessage[] {
  return fieldMessageId === null ? outbox : outbox.filter(({ id }) => id !== fieldMessageId)
}

/**
 * Returns whether the user can withdraw a message: the message is pending, and no attempt was made. After the first
 * attempt, the server may have stored the message.
 */
export const canTakeBack = (message: OutboxMessage) => isPending(message) && !wasEmitted(message)

/**
 * Returns the name under which a pending message is sent, if the user now has another name; `null` otherwise. `username`
 * is the username of a message that the user would send now.
 */
export function earlierName(message: OutboxMessage, username: string): string | null {
  const { payload } = message
  return isPending(message) && payload.username !== username ? nameWithoutSuffix(payload.username) : null
}

/** Withdraws a message. The message moves into the field if the field is blank; otherwise it becomes a held message. */
export function takeBack(sender: Sender, id: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || !canTakeBack(message)) return sender
  if (isBlank(sender.draft)) return withDraftOf(withoutMessage(sender, id), message)
  return {
    ...sender,
    outbox: sender.outbox.map((other) => (other === message ? { ...message, state: heldState } : other)),
  }
}

/** Moves a `held` or `refused` message into the field. An unsent draft there becomes a held message. */
export function moveToField(sender: Sender, id: string, draftId: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || isPending(message)) return sender
  return withDraftOf(holdDraft(withoutMessage(sender, id), draftId), message)
}

/** Sets the draft to text typed before hydration. A restored draft becomes a held message instead of being overwritten. */
export function adoptEarlyText(sender: Sender, text: string, draftId: string): Sender {
  return text === sender.draft ? sender : { ...holdDraft(sender, draftId), draft: text }
}

export function dismiss(sender: Sender, id: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || isPending(message)) return sender
  return { ...withoutMessage(sender, id), fieldMessageId: sender.fieldMessageId === id ? null : sender.fieldMessageId }
}

export function undoDismiss(sender: Sender, message: OutboxMessage): Sender {
  if (isPending(message) || findMessage(sender, message.id) !== undefined) return sender
  return { ...sender, outbox: [...sender.outbox, message] }
}

function withDraftOf(sender: Sender, message: OutboxMessage): Sender {
  return { ...sender, draft: message.payload.message, draftAccount: accountOf(message), fieldMessageId: null }
}

function holdDraft(sender: Sender, draftId: string): Sender {
  const { draft, draftAccount, fieldMessageId, outbox } = sender
  const empty: Sender = { ...sender, ...emptyDraft }
  if (isBlank(draft) || findMessage(sender, fieldMessageId) !== undefined) return empty
  const payload = { username: draftAccount ?? '', message: draft, createdTime: 0 }
  const anonymous = draftAccount === null
  return { ...empty, outbox: [...outbox, { id: draftId, payload, after: undefined, anonymous, state: heldState }] }
}
