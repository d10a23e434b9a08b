import { io, type Socket } from 'socket.io-client'
import { type ClientToServerEvents, events, type ServerToClientEvents } from '../../contract/events.ts'
import type { SendAck } from '../../contract/messages.ts'
import {
  initialReceiver,
  reduceReceiver,
  type ReceiverInput,
  type ReceiverAction,
} from '../../web/connection/receive/receiver.ts'
import { connectionOptions, type FaultClient, type FaultClientOptions } from './client.ts'
import { bodyOf, keyOf } from './history.ts'
import { createOutbox, type Outgoing } from './outbox.ts'

const ackTimeoutMs = 8_000
const refusedPauseMs = 300

/** Follows the whole protocol, as our page does: cursor, resume, and the same id until acknowledged. */
export function createFullClient({
  name,
  port,
  transport,
  perSecond,
  history,
  random,
}: FaultClientOptions): FaultClient {
  let reception = initialReceiver
  let standing = false
  let closed = false
  const shown = new Set<string>()
  let deliveries = 0

  const socket: Socket<ServerToClientEvents, ClientToServerEvents> = io(`http://127.0.0.1:${port}`, {
    ...connectionOptions(transport),
    auth: (give) => {
      step({ kind: 'handshake' })
      give({ channel: 'messages', ...(reception.cursor && { cursor: reception.cursor }) })
    },
  })

  /** The page's own rule decides, so it is on trial here as well. */
  function step(input: ReceiverInput): ReceiverAction {
    const { receiver: now, action } = reduceReceiver(reception, input)
    reception = now
    return action
  }

  socket.on('connect', () => {
    history.record({ type: 'connected', transport: socket.io.engine.transport.name })
  })
  socket.on('disconnect', (reason) => {
    standing = false
    history.record({ type: 'disconnected', reason })
  })
  socket.on('connect_error', () => {
    // Turned away at the door: Socket.IO leaves it to the client to knock again.
    if (!socket.active && !closed) setTimeout(() => closed || socket.connect(), refusedPauseMs)
  })

  socket.on(events.cursor, (confirmed) => {
    const { cursor: held } = reception
    history.record({ type: 'cursor', ...confirmed })
    if (step({ kind: 'cursor', cursor: confirmed }) === 'gap' && held !== null) {
      history.record({ type: 'gap', from: held, to: confirmed })
    }
    standing = true
    const waiting = outbox.inFlight()
    if (waiting !== null) transmit(waiting)
  })

  socket.on(events.receiveMessage, (payload, position) => {
    const askedForNothing = reception.awaiting === null
    const task = step({ kind: 'message', position })
    if (task === 'drop' && askedForNothing) history.record({ type: 'dropped', ...position })
    if (task === 'resume' && reception.cursor !== null) {
      history.record({ type: 'resume', ...reception.cursor })
      socket.emit(events.resume, reception.cursor)
    }
    if (task !== 'append') return
    deliveries++
    shown.add(keyOf(payload))
    history.record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...position })
  })

  function onAnswer(outgoing: Outgoing, answer: SendAck): void {
    if (answer.ok) {
      history.record({ type: 'acked', key: outgoing.key, seq: answer.seq })
      outbox.finish(outgoing)
      return
    }
    history.record({ type: 'refused', key: outgoing.key, code: answer.code })
    const again = answer.code === 'unavailable' || answer.code === 'rate_limited'
    if (again) setTimeout(() => transmit(outgoing), answer.retryAfterMs ?? refusedPauseMs)
    else outbox.finish(outgoing)
  }

  function transmit(outgoing: Outgoing): void {
    if (!standing || outbox.inFlight() !== outgoing) return
    if (outgoing.attempts++ === 0 && reception.cursor !== null) outgoing.after = reception.cursor
    const { key, id, payload, after } = outgoing
    history.record({ type: 'sent', key, body: bodyOf(payload), attempt: outgoing.attempts, ...(after && { after }) })
    const emit = () =>
      socket
        .timeout(ackTimeoutMs)
        .emit(events.sendMessage, payload, { id, ...(after && { after }) }, (error: Error | null, answer: SendAck) => {
          if (error === null) onAnswer(outgoing, answer)
          else transmit(outgoing)
        })
    emit()
    // The same id twice in one batch is a repeat too.
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
    isReady: () => standing && reception.awaiting === null,
    hasReceived: (key) => shown.has(key),
    deliveryCount: () => deliveries,
    socketId: () => socket.id,
    async close() {
      closed = true
      outbox.stop()
      socket.disconnect()
      await history.close()
    },
  }
}
