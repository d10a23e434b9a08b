import { events, moderationEvents, type RemovalNotice } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { initialReceiver, reduceReceiver, type ReceiverInput } from '../../web/connection/receive/receiver.ts'
import {
  acknowledged,
  closed,
  editDraft,
  findMessage,
  holdPending,
  initialSender,
  isPending,
  opened,
  send,
  type OutboxMessage,
  resend,
  resendAtMs,
  type SenderStep,
} from '../../web/connection/send/sender.ts'
import { bodyOf, type HistoryEvent, keyOf, messageKey, removedMark } from '../faults/history.ts'
import { contentOf } from '../faults/restrictions.ts'
import type { Random } from '../faults/random.ts'
import { type Connection, createConnection, type ServerEnd } from './connection.ts'
import type { VirtualTime } from './virtual-time.ts'

const ackTimeoutMs = 4_000
const maxBackOffMs = 1_500

export interface Room extends ServerEnd {
  /**
   * Returns whether a server accepts the connection. The server sends `connect` or `connect_error` before any other
   * event.
   */
  admit(connection: Connection, handshake: Handshake): boolean
}

/** Identity and position that a client sends when it connects. */
export interface Handshake {
  network: string
  token?: string
  cursor?: Cursor
  wantsRemovals: boolean
}

export interface SimulatedPageOptions {
  name: string
  network: string
  /** Login of the client; `null` if it is anonymous. */
  token: string | null
  time: VirtualTime
  random: Random
  room: Room
  record: (event: HistoryEvent) => void
}

export type SimulatedPage = ReturnType<typeof createSimulatedPage>

/** Simulates a page: its real receiver and sender on simulated connections. */
export function createSimulatedPage(options: SimulatedPageOptions) {
  const { name, network, time, random, room, record } = options
  let { token } = options
  let receiver = initialReceiver
  let sender = initialSender
  let connection: Connection | null = null
  let hasCursor = false
  let hasResumed = false
  /** Seq of the newest message that a late response to `resume` repeats. */
  let repeatedUpTo = 0
  let messageCount = 0
  let removals = 0
  let resendTimers = 0
  const attempts = new Map<string, number>()
  const receivedKeys = new Set<string>()

  const moment = () => ({ nowMs: time.dateNow(), elapsedMs: time.nowMs(), cursor: receiver.cursor })
  const applyInput = (input: ReceiverInput) => {
    const step = reduceReceiver(receiver, input)
    receiver = step.receiver
    return step.action
  }

  function connect(): void {
    const attempt = createConnection(time, random, { onEvent, onClosed }, room)
    applyInput({ kind: 'handshake' })
    const cursor = cursorToSend()
    const handshake = { network, wantsRemovals: true, ...(cursor && { cursor }), ...(token !== null && { token }) }
    time.after(random.whole(0, 200), () => {
      if (room.admit(attempt, handshake)) {
        connection = attempt
      } else retry()
    })
  }

  const retry = () => time.after(random.whole(1, maxBackOffMs), connect)

  function onClosed(): void {
    connection = null
    ;[hasCursor, hasResumed, repeatedUpTo] = [false, false, 0]
    record({ type: 'disconnected', reason: 'cut' })
    sender = closed(sender)
    retry()
  }

  function onEvent(event: string, args: unknown[]): void {
    if (event === 'connect_error') logOut()
    if (event === 'connect') record({ type: 'connected', transport: 'simulated' })
    if (event === moderationEvents.messageRemoved) onRemoved(args[0] as number[], args[1] as RemovalNotice)
    if (event === events.cursor) onCursor(args[0] as Cursor)
    if (event === events.receiveMessage) onMessage(args[0] as ChatMessage, args[1] as Cursor)
  }

  /** Continues as an anonymous client after the login was revoked. The user does not send the held messages. */
  function logOut(): void {
    token = null
    for (const { payload } of sender.outbox.filter(isPending))
      record({ type: 'rejected', key: keyOf(payload), code: 'unauthorized' })
    sender = { ...holdPending(sender), draft: '', draftAccount: null, fieldMessageId: null }
    connection?.cut()
  }

  /** Returns the cursor with the number of removals, which the positions of messages do not carry. */
  const cursorToSend = () => receiver.cursor && { ...receiver.cursor, removals }

  function onRemoved(seqs: number[], notice: RemovalNotice): void {
    removals = notice.removals
    record({ type: 'removal', seqs, removals })
  }

  function onCursor({ removals: confirmedRemovals = 0, ...confirmed }: Cursor): void {
    removals = confirmedRemovals
    const previous = receiver.cursor
    record({ type: 'cursor', ...confirmed, removals })
    if (applyInput({ kind: 'cursor', cursor: confirmed }) === 'gap' && previous !== null) {
      record({ type: 'gap', from: previous, to: confirmed })
    }
    // This cursor is the late response to `resume`. The server had already sent a newer cursor by itself.
    if (hasResumed && previous !== null && receiver.cursor === previous) repeatedUpTo = previous.seq
    hasCursor = true
    run(opened(sender, moment()))
  }

  function onMessage(payload: ChatMessage, position: Cursor): void {
    const isAwaitingCursor = receiver.awaiting !== null
    const action = applyInput({ kind: 'message', position })
    if (action === 'drop' && !isAwaitingCursor && position.seq > repeatedUpTo) record({ type: 'dropped', ...position })
    if (action === 'resume' && receiver.cursor !== null) {
      record({ type: 'resume', ...receiver.cursor })
      connection?.toServer(events.resume, [cursorToSend()], () => undefined)
    }
    if (action !== 'append') return
    receivedKeys.add(keyOf(payload))
    record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...removedMark(payload), ...position })
  }

  function run({ sender: next, emit }: SenderStep): void {
    sender = next
    if (emit !== null) emitMessage(emit)
    const dueMs = resendAtMs(sender, ackTimeoutMs)
    if (dueMs === null) return
    const timerNumber = ++resendTimers
    time.after(dueMs - time.nowMs(), () => {
      if (timerNumber === resendTimers && resendAtMs(sender, ackTimeoutMs) === dueMs) run(resend(sender, moment()))
    })
  }

  function emitMessage({ id, payload, after }: OutboxMessage): void {
    const key = keyOf(payload)
    const attempt = (attempts.get(id) ?? 0) + 1
    attempts.set(id, attempt)
    const login = token !== null && { token }
    record({
      type: 'sent',
      key,
      body: bodyOf(payload),
      attempt,
      ...(after && { after }),
      ...login,
      ...contentOf(payload),
    })
    connection?.toServer(events.sendMessage, [payload, after ? { id, after } : { id }], (ack) => onAck(id, key, ack))
  }

  function onAck(id: string, key: string, ack: SendAck): void {
    const step = acknowledged(sender, id, ack, moment())
    const isRepeated = findMessage(step.sender, id)?.state.kind === 'sending'
    if (ack.ok) record({ type: 'acked', key, seq: ack.seq })
    // While a later attempt is in flight, the page does not treat the message as rejected.
    else if (!isRepeated) record({ type: 'rejected', key, code: ack.code })
    if (!ack.ok && ack.code === 'unauthorized') logOut()
    else run(step)
  }

  record({ type: 'opened', role: 'returning' })
  connect()

  return {
    name,
    network,
    /** Whether the client was never logged in. */
    isAnonymous: options.token === null,
    token: () => token,
    /** Types a text and presses Send. */
    sendText(text: string): string {
      const key = messageKey(name, ++messageCount)
      record({ type: 'pressed', key })
      sender = editDraft(sender, `${key} ${text}`)
      run(send(sender, { id: createId(random), name, anonymous: token === null }, moment()))
      return key
    },
    cut: () => connection?.cut(),
    /** Sends `resume` with the current cursor. Does nothing without a connection or cursor, or while a response is pending. */
    resume(): void {
      if (connection === null || receiver.cursor === null || receiver.awaiting !== null) return
      receiver = { ...receiver, awaiting: 'resume' }
      hasResumed = true
      connection.toServer(events.resume, [cursorToSend()], () => undefined)
    },
    isSettled: () => hasCursor && receiver.awaiting === null && !sender.outbox.some(isPending),
    hasReceived: (key: string) => receivedKeys.has(key),
  }
}

/** Returns a UUID from the seeded generator, so that the same run has the same ids. */
function createId(random: Random): string {
  const hex = (length: number) =>
    random
      .whole(0, 16 ** length - 1)
      .toString(16)
      .padStart(length, '0')
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(6)}${hex(6)}`
}
