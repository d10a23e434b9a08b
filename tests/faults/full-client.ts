import { io, type Socket } from 'socket.io-client'
import {
  type ClientToServerEvents,
  events,
  moderationEvents,
  type ServerToClientEvents,
} from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import {
  initialReceiver,
  reduceReceiver,
  type ReceiverInput,
  type ReceiverAction,
} from '../../web/connection/receive/receiver.ts'
import { connectionOptions, type FaultClient, type FaultClientOptions, type ReceivedMessage } from './client.ts'
import { bodyOf, keyOf, removedMark } from './history.ts'
import { createOutbox, type Outgoing } from './outbox.ts'
import { contentOf } from './restrictions.ts'

const ackTimeoutMs = 8_000
const retryDelayMs = 300

/**
 * Creates a client that sends and receives messages as the page does: with a cursor, `resume`, removals, and one id for all
 * attempts of a message.
 */
export function createFullClient({
  name,
  port,
  transport,
  perSecond,
  history,
  random,
}: FaultClientOptions): FaultClient {
  let receiver = initialReceiver
  let hasCursor = false
  let isClosed = false
  const receivedKeys = new Set<string>()
  let deliveryCount = 0
  let removals: number | null = null
  let lastReceived: ReceivedMessage | null = null
  /** Returns the cursor to send, with the number of removals, which the positions of messages do not carry. */
  const cursorToSend = () => receiver.cursor && { ...receiver.cursor, ...(removals !== null && { removals }) }

  const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(`http://127.0.0.1:${port}`, {
    ...connectionOptions(transport),
    auth: (setAuth) => {
      step({ kind: 'handshake' })
      setAuth({ channel: 'messages', removals: true, ...(receiver.cursor && { cursor: cursorToSend() }) })
    },
  })

  /** Runs the reducer of the page, so that the run tests it too. */
  function step(input: ReceiverInput): ReceiverAction {
    const { receiver: next, action } = reduceReceiver(receiver, input)
    receiver = next
    return action
  }

  socket.on('connect', () => {
    history.record({ type: 'connected', transport: socket.io.engine.transport.name })
  })
  socket.on('disconnect', (reason) => {
    hasCursor = false
    history.record({ type: 'disconnected', reason })
  })
  socket.on('connect_error', () => {
    // Socket.IO does not reconnect after the server rejects the handshake.
    if (!socket.active && !isClosed) setTimeout(() => isClosed || socket.connect(), retryDelayMs)
  })

  socket.on(moderationEvents.messageRemoved, (seqs, notice) => {
    removals = notice.removals
    history.record({ type: 'removal', seqs, removals })
  })

  socket.on(events.cursor, (confirmed) => {
    removals = confirmed.removals ?? null
    const { cursor: previous } = receiver
    history.record({ type: 'cursor', ...confirmed })
    if (step({ kind: 'cursor', cursor: confirmed }) === 'gap' && previous !== null) {
      history.record({ type: 'gap', from: previous, to: confirmed })
    }
    hasCursor = true
    const inFlight = outbox.inFlight()
    if (inFlight !== null) transmit(inFlight)
  })

  socket.on(events.receiveMessage, (payload, position) => {
    const isLive = receiver.awaiting === null
    const action = step({ kind: 'message', position })
    if (action === 'drop' && isLive) history.record({ type: 'dropped', ...position })
    if (action === 'resume' && receiver.cursor !== null) {
      history.record({ type: 'resume', ...receiver.cursor })
      socket.emit(events.resume, { ...receiver.cursor, ...cursorToSend() })
    }
    if (action !== 'append') return
    deliveryCount++
    receivedKeys.add(keyOf(payload))
    const [key, body] = [keyOf(payload), bodyOf(payload)]
    if (!('removed' in removedMark(payload))) lastReceived = { key, body, position }
    history.record({ type: 'received', key, body, ...removedMark(payload), ...position })
  })

  function onAck(outgoing: Outgoing, ack: SendAck): void {
    if (ack.ok) {
      history.record({ type: 'acked', key: outgoing.key, seq: ack.seq })
      outbox.finish(outgoing)
      return
    }
    // Another attempt is in flight. The server may still store the message, for example after a rule of the room has ended.
    if (outgoing.unacknowledged > 0) return
    history.record({ type: 'rejected', key: outgoing.key, code: ack.code })
    const isRetryable = ack.code === 'unavailable' || ack.code === 'rate_limited'
    if (isRetryable) setTimeout(() => transmit(outgoing), ack.retryAfterMs ?? retryDelayMs)
    else outbox.finish(outgoing)
  }

  function transmit(outgoing: Outgoing): void {
    if (!hasCursor || outbox.inFlight() !== outgoing) return
    if (outgoing.attempts++ === 0 && receiver.cursor !== null) outgoing.after = receiver.cursor
    const { key, id, payload, after } = outgoing
    history.record({
      type: 'sent',
      key,
      body: bodyOf(payload),
      attempt: outgoing.attempts,
      ...(after && { after }),
      ...contentOf(payload),
    })
    const emit = () => {
      outgoing.unacknowledged++
      socket
        .timeout(ackTimeoutMs)
        .emit(events.sendMessage, payload, { id, ...(after && { after }) }, (error: Error | null, ack: SendAck) => {
          outgoing.unacknowledged--
          if (error === null) onAck(outgoing, ack)
          else transmit(outgoing)
        })
    }
    emit()
    // Sometimes send the same id twice. The server must store the message once.
    if (random.chance(0.02)) emit()
  }

  const outbox = createOutbox({ name, random, perSecond, dispatch: transmit })

  return {
    name,
    role: 'returning',
    outbox,
    open() {
      history.record({ type: 'opened', role: 'returning' })
      socket.connect()
    },
    isReady: () => hasCursor && receiver.awaiting === null,
    hasReceived: (key) => receivedKeys.has(key),
    deliveryCount: () => deliveryCount,
    lastReceived: () => lastReceived,
    socketId: () => socket.id,
    async close() {
      isClosed = true
      outbox.stop()
      socket.disconnect()
      await history.close()
    },
  }
}
