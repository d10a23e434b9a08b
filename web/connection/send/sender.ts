import { countCharacters, maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { anonymousLabel } from '../../../contract/anonymous-label.ts'
import { isBlank } from '../../../contract/message-text.ts'
import type { ChatMessage, Cursor, SendAck } from '../../../contract/messages.ts'
import type { SendRejectionCode } from '../../../contract/rejections.ts'

/**
 * What became of a press on Send. The first three are promised: they go out by themselves. The last two are in the
 * user's hands: `held` was not acknowledged when the identity changed, or was taken back; `refused` will never be stored.
 */
export type SendState =
  | { readonly kind: 'queued' }
  | { readonly kind: 'sending'; readonly sentAtMs: number }
  | { readonly kind: 'paused'; readonly reason: string; readonly retryAtMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'refused'; readonly code: SendRejectionCode; readonly reason: string }

/** A message as it was when Send was pressed; every repeat is the same, so that the server can tell it for one. */
export interface OutboxMessage {
  readonly id: string
  readonly payload: ChatMessage
  /** Where the page stood at the first attempt; `undefined` until it has been handed to a connection. */
  readonly after: Cursor | null | undefined
  readonly anonymous: boolean
  readonly state: SendState
}

export interface Sender {
  /** What stands in the field. */
  readonly draft: string
  readonly isOpen: boolean
  /** In the order of the presses. */
  readonly outbox: readonly OutboxMessage[]
  /** The message whose text stands in the field, untouched since it was pressed. */
  readonly fieldMessageId: string | null
}

export interface SenderStep {
  readonly sender: Sender
  /** What to emit now. */
  readonly emit: OutboxMessage | null
}

/** When, and standing where in the log, something happens. Waits are measured by `elapsedMs`: clocks may be set back. */
export interface SendContext {
  readonly nowMs: number
  readonly elapsedMs: number
  readonly cursor: Cursor | null
}

export interface SendRequest {
  readonly id: string
  readonly name: string
  readonly anonymous: boolean
}

export const maxOutboxMessages = 100
const defaultRetryAfterMs = 2_000
const retryAfterRangeMs = { min: 100, max: 3_600_000 }

const queuedState: SendState = { kind: 'queued' }
export const heldState: SendState = { kind: 'held' }
export const initialSender: Sender = { draft: '', isOpen: false, outbox: [], fieldMessageId: null }

export const isPending = ({ state }: OutboxMessage) => state.kind !== 'held' && state.kind !== 'refused'
export const wasEmitted = ({ after }: OutboxMessage) => after !== undefined
const withoutEmit = (sender: Sender): SenderStep => ({ sender, emit: null })

const firstPending = ({ outbox }: Sender) => outbox.find(isPending)
export const findMessage = ({ outbox }: Sender, id: string | null) => outbox.find((message) => message.id === id)
export const withoutMessage = (sender: Sender, id: string): Sender => ({
  ...sender,
  outbox: sender.outbox.filter((message) => message.id !== id),
})
const withState = (sender: Sender, id: string, state: SendState): Sender => ({
  ...sender,
  outbox: sender.outbox.map((message) => (message.id === id ? { ...message, state } : message)),
})

/** Why a press does nothing, for reasons that can be read off the fields beforehand. */
const isTooLong = (text: string) => text.length > maxMessageCharacters && countCharacters(text) > maxMessageCharacters
const isNameTooLong = (name: string) => name.length > maxNameCharacters && countCharacters(name) > maxNameCharacters
const isNameInvalid = ({ name, anonymous }: SendRequest) => name.trim() === '' || (anonymous && isNameTooLong(name))

/**
 * The field holds something else now: what was pressed there moves to a row. `reworked` says that somebody changed the
 * text in place; where it was in their hands already, it is theirs again and leaves no row behind.
 */
export function editDraft(sender: Sender, draft: string, reworked = false): Sender {
  if (draft === sender.draft && sender.fieldMessageId === null) return sender
  const message = findMessage(sender, sender.fieldMessageId)
  const freed = message !== undefined && reworked && !isPending(message) ? withoutMessage(sender, message.id) : sender
  return { ...freed, draft, fieldMessageId: null }
}

/** Each press is one message; a second press on a text that waits already is none. */
export function send(sender: Sender, pressing: SendRequest, moment: SendContext): SenderStep {
  const { draft } = sender
  if (isBlank(draft) || isTooLong(draft) || isNameInvalid(pressing)) return withoutEmit(sender)
  const fieldMessage = findMessage(sender, sender.fieldMessageId)
  if (fieldMessage !== undefined && isPending(fieldMessage)) return withoutEmit(sender)
  if (fieldMessage?.state.kind === 'held') return sendHeld(sender, fieldMessage.id, pressing, moment)
  const free = fieldMessage === undefined ? sender : withoutMessage(sender, fieldMessage.id)
  if (free.outbox.length >= maxOutboxMessages) return withoutEmit(sender)
  const { id, name, anonymous } = pressing
  const payload = { username: anonymous ? anonymousLabel(name) : name, message: draft, createdTime: moment.nowMs }
  const message: OutboxMessage = { id, payload, after: undefined, anonymous, state: queuedState }
  return emitNext({ ...free, outbox: [...free.outbox, message], fieldMessageId: id }, moment)
}

/** Sends what was held, under the name of the moment, behind all that waits. What may be stored keeps its id and time. */
export function sendHeld(sender: Sender, id: string, pressing: SendRequest, moment: SendContext): SenderStep {
  const message = findMessage(sender, id)
  if (message?.state.kind !== 'held' || isTooLong(message.payload.message) || isNameInvalid(pressing))
    return withoutEmit(sender)
  const { name, anonymous } = pressing
  const username = anonymous ? anonymousLabel(name) : name
  const createdTime = wasEmitted(message) ? message.payload.createdTime : moment.nowMs
  const again: OutboxMessage = {
    ...message,
    payload: { ...message.payload, username, createdTime },
    anonymous,
    state: queuedState,
  }
  const rest = withoutMessage(sender, id)
  return emitNext({ ...rest, outbox: [...rest.outbox, again] }, moment)
}

/** The connection takes messages now. */
export function opened(sender: Sender, moment: SendContext): SenderStep {
  return emitNext({ ...sender, isOpen: true }, moment)
}

export function closed(sender: Sender): Sender {
  const first = firstPending(sender)
  const waiting = first?.state.kind === 'sending' ? withState(sender, first.id, queuedState) : sender
  return { ...waiting, isOpen: false }
}

export function acknowledged(sender: Sender, id: string, answer: SendAck, moment: SendContext): SenderStep {
  const message = findMessage(sender, id)
  if (message === undefined) return withoutEmit(sender)
  if (answer.ok) {
    const rest = withoutMessage(sender, id)
    return emitNext(sender.fieldMessageId === id ? { ...rest, draft: '', fieldMessageId: null } : rest, moment)
  }
  if (message.state.kind !== 'sending') return withoutEmit(sender)
  const { code, message: reason, retryAfterMs = defaultRetryAfterMs } = answer
  if (code === 'rate_limited' || code === 'unavailable') {
    const waitMs = Math.min(retryAfterRangeMs.max, Math.max(retryAfterRangeMs.min, retryAfterMs))
    return withoutEmit(withState(sender, id, { kind: 'paused', reason, retryAtMs: moment.elapsedMs + waitMs }))
  }
  // Whatever waits behind it would be refused for the same reason.
  if (code === 'unauthorized') return withoutEmit(holdPending(sender))
  return emitNext(withState(sender, id, { kind: 'refused', code, reason }), moment)
}

/** When the message is to be repeated, unless an answer comes before; `null` while there is nothing to repeat. */
export function resendAtMs(sender: Sender, ackTimeoutMs: number): number | null {
  const state = firstPending(sender)?.state
  if (state?.kind === 'paused') return state.retryAtMs
  return state?.kind === 'sending' ? state.sentAtMs + ackTimeoutMs : null
}

/** The time to repeat has come. */
export function resend(sender: Sender, moment: SendContext): SenderStep {
  const first = firstPending(sender)
  return first === undefined ? withoutEmit(sender) : emitNext(withState(sender, first.id, queuedState), moment)
}

/** The identity changes: what is not acknowledged is left to the user. */
export function holdPending(sender: Sender): Sender {
  return {
    ...sender,
    outbox: sender.outbox.map((message) => (isPending(message) ? { ...message, state: heldState } : message)),
  }
}

function emitNext(sender: Sender, { elapsedMs, cursor }: SendContext): SenderStep {
  const first = firstPending(sender)
  if (!sender.isOpen || first?.state.kind !== 'queued') return withoutEmit(sender)
  const emit: OutboxMessage = {
    ...first,
    after: wasEmitted(first) ? first.after : cursor,
    state: { kind: 'sending', sentAtMs: elapsedMs },
  }
  return {
    sender: { ...sender, outbox: sender.outbox.map((message) => (message === first ? emit : message)) },
    emit,
  }
}
