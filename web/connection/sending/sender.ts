import { countCharacters, maxMessageCharacters, maxNameCharacters } from '../../../contract/limits.ts'
import { anonymousLabel } from '../../../contract/names.ts'
import type { ChatMessage, Cursor, SendAck } from '../../../contract/messages.ts'
import type { SendRefusalCode } from '../../../contract/refusals.ts'

/** A message as it was when Send was pressed; every repeat is the same, so that the server can tell it for one. */
export interface Outgoing {
  readonly id: string
  readonly payload: ChatMessage
  /** Where the page stood at the first attempt; `undefined` before it. */
  readonly after: Cursor | null | undefined
  /** Whether the draft still begins with it: only then is it taken off the draft when it has been stored. */
  readonly inDraft: boolean
}

type Phase =
  | { readonly name: 'idle' }
  | { readonly name: 'sending'; readonly outgoing: Outgoing; readonly sentAtMs: number | null }
  | { readonly name: 'waiting'; readonly outgoing: Outgoing; readonly reason: string; readonly retryAtMs: number }
  | { readonly name: 'refused'; readonly code: SendRefusalCode; readonly reason: string }
  // Unacknowledged when the identity changed: it may be in the log, but goes out again only when Send is pressed.
  | { readonly name: 'held'; readonly outgoing: Outgoing }

/** A press on Send while another message was on its way. `ahead`: the text continues that message in the draft. */
interface QueuedPress {
  readonly id: string
  readonly payload: ChatMessage
  readonly ahead: boolean
}

export interface Sender {
  readonly draft: string
  readonly open: boolean
  readonly phase: Phase
  readonly queued: QueuedPress | null
}

export interface SenderStep {
  readonly sender: Sender
  /** What to emit now. */
  readonly emit: Outgoing | null
}

/** When, and standing where in the log, something happens. */
export interface Moment {
  readonly nowMs: number
  readonly cursor: Cursor | null
}

export interface Press {
  readonly id: string
  readonly name: string
  readonly anonymous: boolean
}

const defaultRetryAfterMs = 2_000
const retryAfterRangeMs = { min: 100, max: 3_600_000 }

const idle: Phase = { name: 'idle' }
export const freshSender: Sender = { draft: '', open: false, phase: idle, queued: null }

const isBlank = (text: string) => text.trim() === ''
const quiet = (sender: Sender): SenderStep => ({ sender, emit: null })

export function edit(sender: Sender, draft: string): Sender {
  const { phase } = sender
  if (phase.name === 'refused') return { ...sender, draft, phase: idle }
  if (phase.name === 'idle') return { ...sender, draft }
  const text = phase.outgoing.payload.message
  const inDraft = draft === text || (phase.outgoing.inDraft && draft.startsWith(text))
  if (!inDraft && phase.name === 'held') return { ...sender, draft, phase: idle }
  return { ...sender, draft, phase: { ...phase, outgoing: { ...phase.outgoing, inDraft } } }
}

export function press(sender: Sender, { id, name, anonymous }: Press, moment: Moment): SenderStep {
  const { draft, phase } = sender
  if (isBlank(draft) || isBlank(name)) return quiet(sender)
  const username = anonymous ? anonymousLabel(name) : name
  const freeze = (message: string): ChatMessage => ({ username, message, createdTime: moment.nowMs })
  if (phase.name === 'idle' || phase.name === 'refused') {
    return start(sender, { id, payload: freeze(draft), after: undefined, inDraft: true }, moment)
  }
  const { outgoing } = phase
  const text = outgoing.payload.message
  const fresh = outgoing.inDraft ? draft.slice(text.length) : draft
  const queued =
    isBlank(fresh) || draft === text ? sender.queued : { id, payload: freeze(fresh), ahead: outgoing.inDraft }
  if (phase.name !== 'held') return quiet({ ...sender, queued })
  return begin({ ...sender, queued }, { ...outgoing, payload: { ...outgoing.payload, username } }, moment)
}

/** The connection takes messages now. */
export function opened(sender: Sender, moment: Moment): SenderStep {
  const open = { ...sender, open: true }
  return sender.phase.name === 'sending' ? begin(open, sender.phase.outgoing, moment) : quiet(open)
}

export function closed(sender: Sender): Sender {
  const { phase } = sender
  return { ...sender, open: false, phase: phase.name === 'sending' ? { ...phase, sentAtMs: null } : phase }
}

export function answered(sender: Sender, id: string, answer: SendAck, moment: Moment): SenderStep {
  const { phase } = sender
  if (phase.name === 'idle' || phase.name === 'refused' || phase.outgoing.id !== id) return quiet(sender)
  const { outgoing } = phase
  if (answer.ok) {
    const draft = outgoing.inDraft ? sender.draft.slice(outgoing.payload.message.length) : sender.draft
    return settle({ ...sender, draft, phase: idle }, moment)
  }
  if (phase.name === 'held') return quiet(sender)
  const { code, message: reason, retryAfterMs = defaultRetryAfterMs } = answer
  if (code === 'rate_limited' || code === 'unavailable') {
    const waitMs = Math.min(retryAfterRangeMs.max, Math.max(retryAfterRangeMs.min, retryAfterMs))
    return quiet({ ...sender, phase: { name: 'waiting', outgoing, reason, retryAtMs: moment.nowMs + waitMs } })
  }
  const refused: Sender = { ...sender, phase: { name: 'refused', code, reason } }
  // What continued a refused text belongs to it, and the whole is left to the user.
  return refused.queued?.ahead ? quiet({ ...refused, queued: null }) : settle(refused, moment)
}

/** When the message is to be repeated, unless an answer comes before; `null` while there is nothing to repeat. */
export function repeatAtMs({ phase }: Sender, ackTimeoutMs: number): number | null {
  if (phase.name === 'waiting') return phase.retryAtMs
  return phase.name === 'sending' && phase.sentAtMs !== null ? phase.sentAtMs + ackTimeoutMs : null
}

/** The time to repeat has come. */
export function repeat(sender: Sender, moment: Moment): SenderStep {
  const { phase } = sender
  const due = phase.name === 'sending' || phase.name === 'waiting'
  return due ? begin(sender, phase.outgoing, moment) : quiet(sender)
}

/** The identity changes: what is not acknowledged stays in the draft, or comes back to it where it was edited away. */
export function hold(sender: Sender): Sender {
  const { phase } = sender
  if (phase.name !== 'sending' && phase.name !== 'waiting') return { ...sender, queued: null }
  const { outgoing } = phase
  const text = outgoing.payload.message
  const draft = outgoing.inDraft ? sender.draft : `${text} ${sender.draft}`
  const perhapsStored = outgoing.after !== undefined
  const held: Phase = perhapsStored ? { name: 'held', outgoing: { ...outgoing, inDraft: true } } : idle
  return { ...sender, draft, queued: null, phase: held }
}

// Beyond the largest frame the server cuts the connection instead of answering, and every repeat would cut the next one.
function start(sender: Sender, outgoing: Outgoing, moment: Moment): SenderStep {
  const reason = tooLong(outgoing.payload)
  if (reason === null) return begin(sender, outgoing, moment)
  return quiet({ ...sender, phase: { name: 'refused', code: 'too_long', reason } })
}

function tooLong({ username, message }: ChatMessage): string | null {
  if (countCharacters(message) > maxMessageCharacters) {
    return `The message is longer than ${maxMessageCharacters} characters.`
  }
  // Shorter ones the server judges: it counts what is left of a name after cleaning.
  return username.length > maxNameCharacters * 8 ? `The username is longer than ${maxNameCharacters} characters.` : null
}

function begin(sender: Sender, outgoing: Outgoing, { nowMs, cursor }: Moment): SenderStep {
  if (!sender.open) return quiet({ ...sender, phase: { name: 'sending', outgoing, sentAtMs: null } })
  const attempt = outgoing.after === undefined ? { ...outgoing, after: cursor } : outgoing
  return {
    sender: { ...sender, phase: { name: 'sending', outgoing: attempt, sentAtMs: nowMs } },
    emit: attempt,
  }
}

function settle(sender: Sender, moment: Moment): SenderStep {
  const { queued, draft } = sender
  if (queued === null) return quiet(sender)
  const inDraft = draft.startsWith(queued.payload.message)
  const outgoing: Outgoing = { id: queued.id, payload: queued.payload, after: undefined, inDraft }
  return start({ ...sender, queued: null }, outgoing, moment)
}
