import { countCharacters, maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { anonymousLabel } from '../../../contract/anonymous-label.ts'
import { isBlank } from '../../../contract/message-text.ts'
import type { ChatMessage, Cursor, SendAck } from '../../../contract/messages.ts'
import type { SendRejectionCode } from '../../../contract/rejections.ts'
import { reactions } from './rejection-reactions.ts'

/**
 * State of a message in the outbox. The first three states are pending: the page sends the message without user action. `held` and
 * `refused` need an action of the user. A message is held, for example, after a withdrawal or a change of the identity.
 * The server rejected a `refused` message permanently. Session storage contains these names.
 */
export type SendState =
  | { readonly kind: 'queued' }
  | {
      readonly kind: 'sending'
      readonly sentAtMs: number
      /** Number of earlier attempts on this connection that the server has neither acknowledged nor rejected yet. */
      readonly earlierAttempts?: number
    }
  | { readonly kind: 'paused'; readonly reason: string; readonly retryAtMs: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'refused'; readonly code: SendRejectionCode; readonly reason: string }

/** Message of the outbox. Every attempt sends the same id, text and time, so that the server can deduplicate it. */
export interface OutboxMessage {
  readonly id: string
  readonly payload: ChatMessage
  /** Cursor of the page at the first attempt, `null` if the page had none; `undefined` before the first attempt. */
  readonly after: Cursor | null | undefined
  readonly anonymous: boolean
  readonly state: SendState
}

export interface Sender {
  /** Text in the message field. */
  readonly draft: string
  /** Account under which the draft was written; `null` if the author was anonymous or the draft is empty. */
  readonly draftAccount: string | null
  readonly isOpen: boolean
  /** Messages that the server has not acknowledged as stored, in sending order. */
  readonly outbox: readonly OutboxMessage[]
  /** Id of the outbox message that the field still shows, unedited since it was sent. */
  readonly fieldMessageId: string | null
}

export interface SenderStep {
  readonly sender: Sender
  /** Message to emit now. */
  readonly emit: OutboxMessage | null
}

/** Clocks and log position at the time of an event. Timeouts use the monotonic `elapsedMs`. */
export interface SendContext {
  readonly nowMs: number
  readonly elapsedMs: number
  readonly cursor: Cursor | null
}

/** Id and author of a message to send. */
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
const sendingState = (sentAtMs: number, earlierAttempts: number): SendState => ({
  kind: 'sending',
  sentAtMs,
  ...(earlierAttempts > 0 && { earlierAttempts }),
})
/** Fields of an empty draft. */
export const emptyDraft: Omit<Sender, 'isOpen' | 'outbox'> = { draft: '', draftAccount: null, fieldMessageId: null }
export const initialSender: Sender = { ...emptyDraft, isOpen: false, outbox: [] }

export const isPending = ({ state }: OutboxMessage) => state.kind !== 'held' && state.kind !== 'refused'
export const wasEmitted = ({ after }: OutboxMessage) => after !== undefined
/** Returns whether an edit can replace a message. The server may have stored a pending message that was emitted. */
export const isReplaceable = (message: OutboxMessage) => !isPending(message) || !wasEmitted(message)
/** Returns the account that wrote a message; `null` if its author was anonymous. */
export const accountOf = ({ anonymous, payload }: OutboxMessage) => (anonymous ? null : payload.username)
const usernameOf = ({ anonymous, name }: SendRequest) => (anonymous ? anonymousLabel(name) : name)
const withoutEmit = (sender: Sender): SenderStep => ({ sender, emit: null })

const firstPending = ({ outbox }: Sender) => outbox.find(isPending)
export const findMessage = ({ outbox }: Sender, id: string | null) => outbox.find((message) => message.id === id)
/** Returns the outbox message that the field shows. */
export const fieldMessage = (sender: Sender) => findMessage(sender, sender.fieldMessageId)
export const withoutMessage = (sender: Sender, id: string): Sender => ({
  ...sender,
  outbox: sender.outbox.filter((message) => message.id !== id),
})
const withState = (sender: Sender, id: string, state: SendState): Sender => ({
  ...sender,
  outbox: sender.outbox.map((message) => (message.id === id ? { ...message, state } : message)),
})

const isTooLong = (text: string) => text.length > maxMessageCharacters && countCharacters(text) > maxMessageCharacters
const isNameTooLong = (name: string) => name.length > maxNameCharacters && countCharacters(name) > maxNameCharacters
export const isNameEmpty = (name: string) => name.trim() === ''
const isNameInvalid = ({ name, anonymous }: SendRequest) => isNameEmpty(name) || (anonymous && isNameTooLong(name))

/**
 * Sets the text of the field. A message that the field showed moves to a row of the outbox. `isRevision` means that the
 * user edited that message in place: the edited text replaces it if possible. `account` is the author of a new text.
 */
export function editDraft(sender: Sender, draft: string, isRevision = false, account: string | null = null): Sender {
  if (draft === sender.draft && sender.fieldMessageId === null) return sender
  const message = fieldMessage(sender)
  const isReplaced = isRevision && message !== undefined && isReplaceable(message)
  const next = isReplaced ? withoutMessage(sender, message.id) : sender
  const isContinued = sender.draft !== '' && (message === undefined || isReplaced)
  const author = isContinued ? sender.draftAccount : account
  return { ...next, ...emptyDraft, draft, draftAccount: draft === '' ? null : author }
}

/** Returns whether the draft was written under another account: the user decides under which name to send it. */
export function needsAuthorChoice({ draft, draftAccount }: Sender, account: string | null): boolean {
  return draftAccount !== null && draftAccount !== account && !isBlank(draft)
}

/**
 * Sends the draft. Does nothing when the draft or the name is invalid, or the outbox has no space for a new message.
 * Also does nothing when the draft was written under another account, or is already pending. A pending draft that was
 * never emitted is sent again if the name has changed: the new message replaces it.
 */
export function send(
  sender: Sender,
  request: SendRequest,
  context: SendContext,
  isAuthorConfirmed = false,
): SenderStep {
  const { draft } = sender
  const { id, name, anonymous } = request
  const username = usernameOf(request)
  const draftAccount = anonymous ? null : name
  if (isBlank(draft) || isTooLong(draft) || isNameInvalid(request)) return withoutEmit(sender)
  if (!isAuthorConfirmed && needsAuthorChoice(sender, draftAccount)) return withoutEmit(sender)
  const fieldMessage = findMessage(sender, sender.fieldMessageId)
  if (fieldMessage !== undefined && isPending(fieldMessage)) {
    if (wasEmitted(fieldMessage) || fieldMessage.payload.username === username) return withoutEmit(sender)
  }
  if (fieldMessage?.state.kind === 'held') {
    return sendHeld({ ...sender, draftAccount }, fieldMessage.id, request, context)
  }
  const rest = fieldMessage === undefined ? sender : withoutMessage(sender, fieldMessage.id)
  if (rest.outbox.length >= maxOutboxMessages) return withoutEmit(sender)
  const payload = { username, message: draft, createdTime: context.nowMs }
  const message: OutboxMessage = { id, payload, after: undefined, anonymous, state: queuedState }
  return emitNext({ ...rest, draftAccount, outbox: [...rest.outbox, message], fieldMessageId: id }, context)
}

/**
 * Sends a held message under the current name, after all pending messages, unless its text or the name is invalid. The
 * message keeps its id, and also its time if it may be stored.
 */
export function sendHeld(sender: Sender, id: string, request: SendRequest, context: SendContext): SenderStep {
  const message = findMessage(sender, id)
  if (message?.state.kind !== 'held' || isTooLong(message.payload.message) || isNameInvalid(request))
    return withoutEmit(sender)
  const createdTime = wasEmitted(message) ? message.payload.createdTime : context.nowMs
  const queued: OutboxMessage = {
    ...message,
    payload: { ...message.payload, username: usernameOf(request), createdTime },
    anonymous: request.anonymous,
    state: queuedState,
  }
  const rest = withoutMessage(sender, id)
  return emitNext({ ...rest, outbox: [...rest.outbox, queued] }, context)
}

/** Handles an opened connection: sends the first pending message, unless this message is paused. */
export function opened(sender: Sender, context: SendContext): SenderStep {
  return emitNext({ ...sender, isOpen: true }, context)
}

/** Handles a closed connection: queues the message in flight again. */
export function closed(sender: Sender): Sender {
  const first = firstPending(sender)
  const next = first?.state.kind === 'sending' ? withState(sender, first.id, queuedState) : sender
  return { ...next, isOpen: false }
}

/** Handles the acknowledgement or rejection of a message. */
export function acknowledged(sender: Sender, id: string, ack: SendAck, context: SendContext): SenderStep {
  const message = findMessage(sender, id)
  if (message === undefined) return withoutEmit(sender)
  if (ack.ok) {
    const rest = withoutMessage(sender, id)
    return emitNext(sender.fieldMessageId === id ? { ...rest, ...emptyDraft } : rest, context)
  }
  if (message.state.kind !== 'sending') return withoutEmit(sender)
  const { code, message: reason, retryAfterMs = defaultRetryAfterMs } = ack
  // The server would reject all following messages for the same reason.
  if (reactions[code] === 'hold') return withoutEmit(holdPending(sender))
  // The server may still store a later attempt, for example after a mute has ended.
  const { earlierAttempts = 0 } = message.state
  if (earlierAttempts > 0)
    return withoutEmit(withState(sender, id, sendingState(context.elapsedMs, earlierAttempts - 1)))
  if (reactions[code] === 'pause') {
    const waitMs = Math.min(retryAfterRangeMs.max, Math.max(retryAfterRangeMs.min, retryAfterMs))
    return withoutEmit(withState(sender, id, { kind: 'paused', reason, retryAtMs: context.elapsedMs + waitMs }))
  }
  return emitNext(withState(sender, id, { kind: 'refused', code, reason }), context)
}

/** Returns the time to send the first pending message again; `null` if there is none, or if it is queued. */
export function resendAtMs(sender: Sender, ackTimeoutMs: number): number | null {
  const state = firstPending(sender)?.state
  if (state?.kind === 'paused') return state.retryAtMs
  return state?.kind === 'sending' ? state.sentAtMs + ackTimeoutMs : null
}

/** Sends the first pending message again. */
export function resend(sender: Sender, context: SendContext): SenderStep {
  const first = firstPending(sender)
  if (first === undefined) return withoutEmit(sender)
  const earlierAttempts = first.state.kind === 'sending' ? (first.state.earlierAttempts ?? 0) + 1 : 0
  return emitNext(withState(sender, first.id, queuedState), context, earlierAttempts)
}

/** Holds all pending messages, because the identity changed or is not valid. The user decides whether to send them. */
export function holdPending(sender: Sender): Sender {
  return {
    ...sender,
    outbox: sender.outbox.map((message) => (isPending(message) ? { ...message, state: heldState } : message)),
  }
}

function emitNext(sender: Sender, { elapsedMs, cursor }: SendContext, earlierAttempts = 0): SenderStep {
  const first = firstPending(sender)
  if (!sender.isOpen || first?.state.kind !== 'queued') return withoutEmit(sender)
  const emit: OutboxMessage = {
    ...first,
    after: wasEmitted(first) ? first.after : cursor,
    state: sendingState(elapsedMs, earlierAttempts),
  }
  return {
    sender: { ...sender, outbox: sender.outbox.map((message) => (message === first ? emit : message)) },
    emit,
  }
}
