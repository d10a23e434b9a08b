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
export interface Pressed {
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
  readonly open: boolean
  /** In the order of the presses. */
  readonly pressed: readonly Pressed[]
  /** The message whose text stands in the field, untouched since it was pressed. */
  readonly inField: string | null
}

export interface SenderStep {
  readonly sender: Sender
  /** What to emit now. */
  readonly emit: Pressed | null
}

/** When, and standing where in the log, something happens. Waits are measured by `elapsedMs`: clocks may be set back. */
export interface Moment {
  readonly nowMs: number
  readonly elapsedMs: number
  readonly cursor: Cursor | null
}

export interface Press {
  readonly id: string
  readonly name: string
  readonly anonymous: boolean
}

export const maxPressed = 100
const defaultRetryAfterMs = 2_000
const retryAfterRangeMs = { min: 100, max: 3_600_000 }

const queued: SendState = { kind: 'queued' }
export const held: SendState = { kind: 'held' }
export const freshSender: Sender = { draft: '', open: false, pressed: [], inField: null }

export const isPromised = ({ state }: Pressed) => state.kind !== 'held' && state.kind !== 'refused'
export const wasHanded = ({ after }: Pressed) => after !== undefined
const quiet = (sender: Sender): SenderStep => ({ sender, emit: null })

const head = ({ pressed }: Sender) => pressed.find(isPromised)
export const find = ({ pressed }: Sender, id: string | null) => pressed.find((message) => message.id === id)
export const without = (sender: Sender, id: string): Sender => ({
  ...sender,
  pressed: sender.pressed.filter((message) => message.id !== id),
})
const withState = (sender: Sender, id: string, state: SendState): Sender => ({
  ...sender,
  pressed: sender.pressed.map((message) => (message.id === id ? { ...message, state } : message)),
})

/** Why a press does nothing, for reasons that can be read off the fields beforehand. */
const isTooLong = (text: string) => text.length > maxMessageCharacters && countCharacters(text) > maxMessageCharacters
const isNameTooLong = (name: string) => name.length > maxNameCharacters && countCharacters(name) > maxNameCharacters
const cannotSpeak = ({ name, anonymous }: Press) => name.trim() === '' || (anonymous && isNameTooLong(name))

/**
 * The field holds something else now: what was pressed there moves to a row. `reworked` says that somebody changed the
 * text in place; where it was in their hands already, it is theirs again and leaves no row behind.
 */
export function edit(sender: Sender, draft: string, reworked = false): Sender {
  if (draft === sender.draft && sender.inField === null) return sender
  const message = find(sender, sender.inField)
  const freed = message !== undefined && reworked && !isPromised(message) ? without(sender, message.id) : sender
  return { ...freed, draft, inField: null }
}

/** Each press is one message; a second press on a text that waits already is none. */
export function press(sender: Sender, pressing: Press, moment: Moment): SenderStep {
  const { draft } = sender
  if (isBlank(draft) || isTooLong(draft) || cannotSpeak(pressing)) return quiet(sender)
  const inField = find(sender, sender.inField)
  if (inField !== undefined && isPromised(inField)) return quiet(sender)
  if (inField?.state.kind === 'held') return sendHeld(sender, inField.id, pressing, moment)
  const free = inField === undefined ? sender : without(sender, inField.id)
  if (free.pressed.length >= maxPressed) return quiet(sender)
  const { id, name, anonymous } = pressing
  const payload = { username: anonymous ? anonymousLabel(name) : name, message: draft, createdTime: moment.nowMs }
  const message: Pressed = { id, payload, after: undefined, anonymous, state: queued }
  return emitNext({ ...free, pressed: [...free.pressed, message], inField: id }, moment)
}

/** Sends what was held, under the name of the moment, behind all that waits. What may be stored keeps its id and time. */
export function sendHeld(sender: Sender, id: string, pressing: Press, moment: Moment): SenderStep {
  const message = find(sender, id)
  if (message?.state.kind !== 'held' || isTooLong(message.payload.message) || cannotSpeak(pressing))
    return quiet(sender)
  const { name, anonymous } = pressing
  const username = anonymous ? anonymousLabel(name) : name
  const createdTime = wasHanded(message) ? message.payload.createdTime : moment.nowMs
  const again: Pressed = {
    ...message,
    payload: { ...message.payload, username, createdTime },
    anonymous,
    state: queued,
  }
  const rest = without(sender, id)
  return emitNext({ ...rest, pressed: [...rest.pressed, again] }, moment)
}

/** The connection takes messages now. */
export function opened(sender: Sender, moment: Moment): SenderStep {
  return emitNext({ ...sender, open: true }, moment)
}

export function closed(sender: Sender): Sender {
  const first = head(sender)
  const waiting = first?.state.kind === 'sending' ? withState(sender, first.id, queued) : sender
  return { ...waiting, open: false }
}

export function answered(sender: Sender, id: string, answer: SendAck, moment: Moment): SenderStep {
  const message = find(sender, id)
  if (message === undefined) return quiet(sender)
  if (answer.ok) {
    const rest = without(sender, id)
    return emitNext(sender.inField === id ? { ...rest, draft: '', inField: null } : rest, moment)
  }
  if (message.state.kind !== 'sending') return quiet(sender)
  const { code, message: reason, retryAfterMs = defaultRetryAfterMs } = answer
  if (code === 'rate_limited' || code === 'unavailable') {
    const waitMs = Math.min(retryAfterRangeMs.max, Math.max(retryAfterRangeMs.min, retryAfterMs))
    return quiet(withState(sender, id, { kind: 'paused', reason, retryAtMs: moment.elapsedMs + waitMs }))
  }
  // Whatever waits behind it would be refused for the same reason.
  if (code === 'unauthorized') return quiet(hold(sender))
  return emitNext(withState(sender, id, { kind: 'refused', code, reason }), moment)
}

/** When the message is to be repeated, unless an answer comes before; `null` while there is nothing to repeat. */
export function repeatAtMs(sender: Sender, ackTimeoutMs: number): number | null {
  const state = head(sender)?.state
  if (state?.kind === 'paused') return state.retryAtMs
  return state?.kind === 'sending' ? state.sentAtMs + ackTimeoutMs : null
}

/** The time to repeat has come. */
export function repeat(sender: Sender, moment: Moment): SenderStep {
  const first = head(sender)
  return first === undefined ? quiet(sender) : emitNext(withState(sender, first.id, queued), moment)
}

/** The identity changes: what is not acknowledged is left to the user. */
export function hold(sender: Sender): Sender {
  return {
    ...sender,
    pressed: sender.pressed.map((message) => (isPromised(message) ? { ...message, state: held } : message)),
  }
}

function emitNext(sender: Sender, { elapsedMs, cursor }: Moment): SenderStep {
  const first = head(sender)
  if (!sender.open || first?.state.kind !== 'queued') return quiet(sender)
  const emit: Pressed = {
    ...first,
    after: wasHanded(first) ? first.after : cursor,
    state: { kind: 'sending', sentAtMs: elapsedMs },
  }
  return {
    sender: { ...sender, pressed: sender.pressed.map((message) => (message === first ? emit : message)) },
    emit,
  }
}
