import { isBlank } from '../../../contract/message-text.ts'
import {
  editDraft,
  findMessage,
  heldState,
  isPending,
  type OutboxMessage,
  type Sender,
  wasEmitted,
  withoutMessage,
} from './sender.ts'

/** What stands above the field: everything that was pressed, except what still stands in the field itself. */
export function outboxRows({ outbox, fieldMessageId }: Sender): readonly OutboxMessage[] {
  return fieldMessageId === null ? outbox : outbox.filter(({ id }) => id !== fieldMessageId)
}

/** A promise can be taken back as long as no connection has had it: after that it may be stored. */
export const canTakeBack = (message: OutboxMessage) => isPending(message) && !wasEmitted(message)

export function takeBack(sender: Sender, id: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || !canTakeBack(message)) return sender
  if (isBlank(sender.draft)) return editDraft(withoutMessage(sender, id), message.payload.message)
  return {
    ...sender,
    outbox: sender.outbox.map((other) => (other === message ? { ...message, state: heldState } : other)),
  }
}

/** Brings what is in the user's hands into the field. An unsent text that stood there is kept in a row of its own. */
export function moveToField(sender: Sender, id: string, draftId: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || isPending(message)) return sender
  return { ...holdDraft(withoutMessage(sender, id), draftId), draft: message.payload.message }
}

/** What was typed before the page could read it. A draft from before a reload is kept beside it, not mixed with it. */
export function adoptEarlyText(sender: Sender, text: string, draftId: string): Sender {
  return text === sender.draft ? sender : { ...holdDraft(sender, draftId), draft: text }
}

export function dismiss(sender: Sender, id: string): Sender {
  const message = findMessage(sender, id)
  if (message === undefined || isPending(message)) return sender
  return { ...withoutMessage(sender, id), fieldMessageId: sender.fieldMessageId === id ? null : sender.fieldMessageId }
}

/** A press on Dismiss was not meant. */
export function undoDismiss(sender: Sender, message: OutboxMessage): Sender {
  if (isPending(message) || findMessage(sender, message.id) !== undefined) return sender
  return { ...sender, outbox: [...sender.outbox, message] }
}

function holdDraft(sender: Sender, draftId: string): Sender {
  const { draft, fieldMessageId, outbox } = sender
  const empty: Sender = { ...sender, draft: '', fieldMessageId: null }
  if (isBlank(draft) || findMessage(sender, fieldMessageId) !== undefined) return empty
  const payload = { username: '', message: draft, createdTime: 0 }
  return {
    ...empty,
    outbox: [...outbox, { id: draftId, payload, after: undefined, anonymous: true, state: heldState }],
  }
}
