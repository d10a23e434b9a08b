import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { bodyOf, keyOf, messageKey } from '../faults/history.ts'
import { type Connection, createConnection } from './connection.ts'
import type { SimulatedPage, SimulatedPageOptions } from './simulated-page.ts'

const longestBackOffMs = 1_500
/** What has no answer by then gets none: it is stored, or lost on its way. */
const patienceMs = 10_000

/** Speaks the specified events alone: no cursor, no id, nothing repeated. Positions it is told only to record them. */
export function createSimulatedPlain({ name, time, random, room, record }: SimulatedPageOptions): SimulatedPage {
  let connection: Connection | null = null
  let standing = false
  let presses = 0
  const shown = new Set<string>()
  const unanswered = new Set<string>()

  function connect(): void {
    const attempt = createConnection(time, random, { onEvent, onClosed }, room)
    time.after(random.whole(0, 200), () => {
      if (room.admit(attempt, undefined)) connection = attempt
      else retry()
    })
  }

  const retry = () => time.after(random.whole(1, longestBackOffMs), connect)

  function onClosed(): void {
    connection = null
    standing = false
    record({ type: 'disconnected', reason: 'cut' })
    retry()
  }

  function onEvent(event: string, args: unknown[]): void {
    if (event === 'connect') record({ type: 'connected', transport: 'simulated' })
    if (event === events.cursor) {
      record({ type: 'cursor', ...(args[0] as Cursor) })
      standing = true
    }
    if (event !== events.receiveMessage) return
    const [payload, position] = args as [ChatMessage, Cursor]
    shown.add(keyOf(payload))
    record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...position })
  }

  function onAnswer(key: string, answer: SendAck): void {
    unanswered.delete(key)
    if (answer.ok) record({ type: 'acked', key, seq: answer.seq })
    else record({ type: 'rejected', key, code: answer.code })
  }

  record({ type: 'opened', role: 'plain' })
  connect()

  return {
    name,
    say(text) {
      const key = messageKey(name, ++presses)
      if (connection === null || !standing) return key
      const payload: ChatMessage = { username: name, message: `${key} ${text}`, createdTime: time.dateNow() }
      record({ type: 'sent', key, body: bodyOf(payload), attempt: 1 })
      unanswered.add(key)
      time.after(patienceMs, () => unanswered.delete(key))
      connection.toServer(events.sendMessage, [payload], (answer) => onAnswer(key, answer))
      return key
    },
    cut: () => connection?.cut(),
    ask: () => undefined,
    // What may be stored behind the last word would be missed by whoever is not waited for.
    isSettled: () => standing && unanswered.size === 0,
    hasShown: (key) => shown.has(key),
  }
}
