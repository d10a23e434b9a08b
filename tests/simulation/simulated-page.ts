import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from '../../web/connection/receive/receiver.ts'
import {
  acknowledged,
  closed,
  editDraft,
  initialSender,
  isPending,
  opened,
  send,
  type OutboxMessage,
  resend,
  resendAtMs,
  type SenderStep,
} from '../../web/connection/send/sender.ts'
import { bodyOf, type HistoryEvent, keyOf, messageKey } from '../faults/history.ts'
import type { Random } from '../faults/random.ts'
import { type Connection, createConnection, type ServerEnd } from './connection.ts'
import type { VirtualTime } from './virtual-time.ts'

const ackTimeoutMs = 4_000
const longestBackOffMs = 1_500

export interface Room extends ServerEnd {
  /** Whether a server is there. One that is let in is told `connect` before anything else. */
  admit(connection: Connection, cursor: Cursor | undefined): boolean
}

export interface SimulatedPageOptions {
  name: string
  time: VirtualTime
  random: Random
  room: Room
  record: (happening: HistoryEvent) => void
}

export type SimulatedPage = ReturnType<typeof createSimulatedPage>

/** A page: its own rules for receiving and for sending, on connections that are played. */
export function createSimulatedPage({ name, time, random, room, record }: SimulatedPageOptions) {
  let reception = initialReceiver
  let sender = initialSender
  let connection: Connection | null = null
  let standing = false
  let presses = 0
  let repeats = 0
  const attempts = new Map<string, number>()
  const shown = new Set<string>()

  const moment = () => ({ nowMs: time.dateNow(), elapsedMs: time.nowMs(), cursor: reception.cursor })
  const take = (input: ReceiverInput) => {
    const step = reduceReceiver(reception, input)
    reception = step.receiver
    return step.action
  }

  function connect(): void {
    const attempt = createConnection(time, random, { onEvent, onClosed }, room)
    take({ kind: 'handshake' })
    const cursor = reception.cursor ?? undefined
    time.after(random.whole(0, 200), () => {
      if (room.admit(attempt, cursor)) {
        connection = attempt
      } else retry()
    })
  }

  const retry = () => time.after(random.whole(1, longestBackOffMs), connect)

  function onClosed(): void {
    connection = null
    standing = false
    record({ type: 'disconnected', reason: 'cut' })
    sender = closed(sender)
    retry()
  }

  function onEvent(event: string, args: unknown[]): void {
    if (event === 'connect') record({ type: 'connected', transport: 'simulated' })
    if (event === events.cursor) onCursor(args[0] as Cursor)
    if (event === events.receiveMessage) onMessage(args[0] as ChatMessage, args[1] as Cursor)
  }

  function onCursor(confirmed: Cursor): void {
    const held = reception.cursor
    record({ type: 'cursor', ...confirmed })
    if (take({ kind: 'cursor', cursor: confirmed }) === 'gap' && held !== null) {
      record({ type: 'gap', from: held, to: confirmed })
    }
    standing = true
    run(opened(sender, moment()))
  }

  function onMessage(payload: ChatMessage, position: Cursor): void {
    const awaiting = reception.awaiting !== null
    const task = take({ kind: 'message', position })
    if (task === 'drop' && !awaiting) record({ type: 'dropped', ...position })
    if (task === 'resume' && reception.cursor !== null) {
      record({ type: 'resume', ...reception.cursor })
      connection?.toServer(events.resume, [reception.cursor], () => undefined)
    }
    if (task !== 'append') return
    shown.add(keyOf(payload))
    record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...position })
  }

  function run({ sender: next, emit }: SenderStep): void {
    sender = next
    if (emit !== null) emitMessage(emit)
    const dueMs = resendAtMs(sender, ackTimeoutMs)
    if (dueMs === null) return
    const turn = ++repeats
    time.after(dueMs - time.nowMs(), () => {
      if (turn === repeats && resendAtMs(sender, ackTimeoutMs) === dueMs) run(resend(sender, moment()))
    })
  }

  function emitMessage({ id, payload, after }: OutboxMessage): void {
    const key = keyOf(payload)
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    record({ type: 'sent', key, body: bodyOf(payload), attempt, ...(after && { after }) })
    connection?.toServer(events.sendMessage, [payload, after ? { id, after } : { id }], (answer) =>
      onAnswer(id, key, answer),
    )
  }

  function onAnswer(id: string, key: string, answer: SendAck): void {
    if (answer.ok) record({ type: 'acked', key, seq: answer.seq })
    else record({ type: 'rejected', key, code: answer.code })
    run(acknowledged(sender, id, answer, moment()))
  }

  record({ type: 'opened', role: 'returning' })
  connect()

  return {
    name,
    /** Somebody types a text and presses Send. */
    say(text: string): string {
      const key = messageKey(name, ++presses)
      record({ type: 'pressed', key })
      sender = editDraft(sender, `${key} ${text}`)
      run(send(sender, { id: idFrom(random), name, anonymous: true }, moment()))
      return key
    },
    cut: () => connection?.cut(),
    /** Asks to be placed where it stands, as a page may at any time. */
    ask(): void {
      if (connection === null || reception.cursor === null || reception.awaiting !== null) return
      reception = { ...reception, awaiting: 'resume' }
      connection.toServer(events.resume, [reception.cursor], () => undefined)
    },
    isSettled: () => standing && reception.awaiting === null && !sender.outbox.some(isPending),
    hasShown: (key: string) => shown.has(key),
  }
}

/** A UUID, from the seed: the same life has the same ids. */
function idFrom(random: Random): string {
  const hex = (length: number) =>
    random
      .whole(0, 16 ** length - 1)
      .toString(16)
      .padStart(length, '0')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
}
