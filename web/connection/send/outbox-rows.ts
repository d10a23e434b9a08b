import { isBlank } from '../../../contract/message-text.ts'
import { edit, find, held, isPromised, type Pressed, type Sender, wasHanded, without } from './sender.ts'

/** What stands above the field: everything that was pressed, except what still stands in the field itself. */
export function outboxRows({ pressed, inField }: Sender): readonly Pressed[] {
  return inField === null ? pressed : pressed.filter(({ id }) => id !== inField)
}

/** A promise can be taken back as long as no connection has had it: after that it may be stored. */
export const canTakeBack = (message: Pressed) => isPromised(message) && !wasHanded(message)

export function takeBack(sender: Sender, id: string): Sender {
  const message = find(sender, id)
  if (message === undefined || !canTakeBack(message)) return sender
  if (isBlank(sender.draft)) return edit(without(sender, id), message.payload.message)
  return {
    ...sender,
    pressed: sender.pressed.map((other) => (other === message ? { ...message, state: held } : other)),
  }
}

/** Brings what is in the user's hands into the field. An unsent text that stood there is kept in a row of its own. */
export function bringToField(sender: Sender, id: string, draftId: string): Sender {
  const message = find(sender, id)
  if (message === undefined || isPromised(message)) return sender
  return { ...keepDraft(without(sender, id), draftId), draft: message.payload.message }
}

/** What was typed before the page could read it. A draft from before a reload is kept beside it, not mixed with it. */
export function adoptTyped(sender: Sender, text: string, draftId: string): Sender {
  return text === sender.draft ? sender : { ...keepDraft(sender, draftId), draft: text }
}

export function dismiss(sender: Sender, id: string): Sender {
  const message = find(sender, id)
  if (message === undefined || isPromised(message)) return sender
  return { ...without(sender, id), inField: sender.inField === id ? null : sender.inField }
}

/** A press on Dismiss was not meant. */
export function undismiss(sender: Sender, message: Pressed): Sender {
  if (isPromised(message) || find(sender, message.id) !== undefined) return sender
  return { ...sender, pressed: [...sender.pressed, message] }
}

function keepDraft(sender: Sender, draftId: string): Sender {
  const { draft, inField, pressed } = sender
  const empty: Sender = { ...sender, draft: '', inField: null }
  if (isBlank(draft) || find(sender, inField) !== undefined) return empty
  const payload = { username: '', message: draft, createdTime: 0 }
  return { ...empty, pressed: [...pressed, { id: draftId, payload, after: undefined, anonymous: true, state: held }] }
}
