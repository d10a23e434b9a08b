import { accountOf, heldState, isPending, type OutboxMessage, type Sender } from './sender.ts'

/*
 * Session storage format: the JSON of the outbox, and `{ draft, inField?, account? }`. The field names must not change,
 * because a page of an earlier version may have stored the values. The two values are separate: the outbox can be long,
 * and the draft changes at every keystroke.
 */

/** Returns the outbox as JSON; `null` when it is empty. */
export const serializeOutbox = ({ outbox }: Sender) => (outbox.length === 0 ? null : JSON.stringify(outbox))

/** Returns the draft as JSON; `null` when it is empty. */
export function serializeDraft({ draft, draftAccount, fieldMessageId }: Sender): string | null {
  if (draft === '') return null
  return JSON.stringify({ draft, inField: fieldMessageId ?? undefined, account: draftAccount ?? undefined })
}

/** Maximum age of a message that a restored page sends without asking the user. A reopened tab may contain old messages. */
export const maxUnaskedAgeMs = 5 * 60_000

/** Content of session storage when the page opened. */
export interface StoredSender {
  readonly outbox: string | null
  readonly draft: string | null
}

/**
 * Restores outbox and draft after a reload or in a reopened tab. Queues recent pending messages of an anonymous user
 * again under their ids. Holds older pending messages. Also holds pending messages of an account, because the restored
 * page is anonymous.
 */
export function restoreSender(sender: Sender, stored: StoredSender, nowMs: number): Sender {
  const messages = parse(stored.outbox)
  const outbox = Array.isArray(messages)
    ? messages.filter(isOutboxMessage).map((message) => restoreMessage(message, nowMs))
    : []
  const field = parse(stored.draft)
  if (!isRecord(field) || typeof field['draft'] !== 'string') return { ...sender, outbox }
  const { draft, inField, account } = field
  const fieldMessage = outbox.find(({ id, payload }) => id === inField && payload.message === draft)
  const storedAccount = typeof account === 'string' ? account : null
  const draftAccount = fieldMessage === undefined ? storedAccount : accountOf(fieldMessage)
  return { ...sender, outbox, draft, draftAccount, fieldMessageId: fieldMessage?.id ?? null }
}

function restoreMessage(message: OutboxMessage, nowMs: number): OutboxMessage {
  if (!isPending(message)) return message
  const isRecent = nowMs - message.payload.createdTime <= maxUnaskedAgeMs
  return { ...message, state: message.anonymous && isRecent ? { kind: 'queued' } : heldState }
}

function parse(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    // Another script of this origin wrote the value.
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isOutboxMessage(value: unknown): value is OutboxMessage {
  if (!isRecord(value)) return false
  const { id, payload, anonymous, state } = value
  return (
    typeof id === 'string' &&
    typeof anonymous === 'boolean' &&
    isRecord(payload) &&
    typeof payload['username'] === 'string' &&
    typeof payload['message'] === 'string' &&
    typeof payload['createdTime'] === 'number' &&
    isRecord(state) &&
    typeof state['kind'] === 'string'
  )
}
