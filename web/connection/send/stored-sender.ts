import { held, isPromised, type Pressed, type Sender } from './sender.ts'

/** What a reload must not lose, as text. What is pressed changes rarely and may be long, so it is kept by itself. */
export const keptPressed = ({ pressed }: Sender) => (pressed.length === 0 ? null : JSON.stringify(pressed))
export const keptDraft = ({ draft, inField }: Sender) =>
  draft === '' ? null : JSON.stringify(inField === null ? { draft } : { draft, inField })

/**
 * The sender as it was before the reload. Its messages go out again under their ids; but a page that was logged in is
 * anonymous now, and what it sent under its account is left to the user.
 */
export function restoreSender(sender: Sender, keptPressed: string | null, keptDraft: string | null): Sender {
  const stored = parse(keptPressed)
  const pressed = Array.isArray(stored) ? stored.filter(isPressed).map(restorePressed) : []
  const field = parse(keptDraft)
  if (!isRecord(field) || typeof field['draft'] !== 'string') return { ...sender, pressed }
  const { draft, inField } = field
  const shown = pressed.find(({ id, payload }) => id === inField && payload.message === draft)
  return { ...sender, pressed, draft, inField: shown?.id ?? null }
}

function restorePressed(message: Pressed): Pressed {
  if (!isPromised(message)) return message
  return { ...message, state: message.anonymous ? { kind: 'queued' } : held }
}

function parse(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    // Not ours: what cannot be read was not written here.
    return null
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isPressed(value: unknown): value is Pressed {
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
