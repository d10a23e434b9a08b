import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { bodyOf, keyOf, messageKey, removedMark } from '../faults/history.ts'
import { contentOf } from '../faults/restrictions.ts'
import { type Connection, createConnection } from './connection.ts'
import type { SimulatedPage, SimulatedPageOptions } from './simulated-page.ts'

const maxBackOffMs = 1_500
/** Time after which the client no longer expects an acknowledgement. The message is then either stored or lost. */
const ackTimeoutMs = 10_000

/**
 * Simulates a client that uses only the specified events: no cursor, no id, no repeats. It only records the positions
 * that it receives.
 */
export function createSimulatedPlainClient(options: SimulatedPageOptions): SimulatedPage {
  const { name, network, time, random, room, record } = options
  let connection: Connection | null = null
  let hasCursor = false
  let messageCount = 0
  const receivedKeys = new Set<string>()
  const unacknowledged = new Set<string>()

  function connect(): void {
    const attempt = createConnection(time, random, { onEvent, onClosed }, room)
    time.after(random.whole(0, 200), () => {
      if (room.admit(attempt, { network, wantsRemovals: false })) connection = attempt
      else retry()
    })
  }

  const retry = () => time.after(random.whole(1, maxBackOffMs), connect)

  function onClosed(): void {
    connection = null
    hasCursor = false
    record({ type: 'disconnected', reason: 'cut' })
    retry()
  }

  function onEvent(event: string, args: unknown[]): void {
    if (event === 'connect') record({ type: 'connected', transport: 'simulated' })
    if (event === events.cursor) {
      record({ type: 'cursor', ...(args[0] as Cursor) })
      hasCursor = true
    }
    if (event !== events.receiveMessage) return
    const [payload, position] = args as [ChatMessage, Cursor]
    receivedKeys.add(keyOf(payload))
    record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...removedMark(payload), ...position })
  }

  function onAck(key: string, ack: SendAck): void {
    unacknowledged.delete(key)
    if (ack.ok) record({ type: 'acked', key, seq: ack.seq })
    else record({ type: 'rejected', key, code: ack.code })
  }

  record({ type: 'opened', role: 'plain' })
  connect()

  return {
    name,
    network,
    isAnonymous: true,
    token: () => null,
    sendText(text) {
      const key = messageKey(name, ++messageCount)
      if (connection === null || !hasCursor) return key
      const payload: ChatMessage = { username: name, message: `${key} ${text}`, createdTime: time.dateNow() }
      record({ type: 'sent', key, body: bodyOf(payload), attempt: 1, ...contentOf(payload) })
      unacknowledged.add(key)
      time.after(ackTimeoutMs, () => unacknowledged.delete(key))
      connection.toServer(events.sendMessage, [payload], (ack) => onAck(key, ack))
      return key
    },
    cut: () => connection?.cut(),
    resume: () => undefined,
    // A message that is still unacknowledged might be stored after the last message of the run.
    isSettled: () => hasCursor && unacknowledged.size === 0,
    hasReceived: (key) => receivedKeys.has(key),
  }
}
