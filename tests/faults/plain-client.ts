import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { connectionOptions, type FaultClient, type FaultClientOptions } from './client.ts'
import { bodyOf, keyOf } from './history.ts'
import { createOutbox, type Outgoing } from './outbox.ts'

const patienceMs = 10_000

/** The control has no log, and so no place in it to tell. */
type Answer = SendAck | { ok: true }

/** Speaks the specified events and no more: no id, no cursor, nothing repeated. Positions it asks for only to log them. */
export function createPlainClient({
  name,
  port,
  transport,
  perSecond,
  history,
  random,
}: FaultClientOptions): FaultClient {
  const shown = new Set<string>()
  let deliveries = 0
  const socket = io(`http://127.0.0.1:${port}`, { ...connectionOptions(transport), auth: { positions: true } })

  socket.on('connect', () => {
    history.record({ type: 'connected', transport: socket.io.engine.transport.name })
    const waiting = outbox.inFlight()
    if (waiting !== null && waiting.attempts === 0) transmit(waiting)
  })
  socket.on('disconnect', (reason) => history.record({ type: 'disconnected', reason }))
  socket.on(events.cursor, (cursor: Cursor) => history.record({ type: 'cursor', ...cursor }))
  socket.on(events.receiveMessage, (payload: ChatMessage, position?: Cursor) => {
    deliveries++
    shown.add(keyOf(payload))
    history.record({ type: 'received', key: keyOf(payload), body: bodyOf(payload), ...position })
  })

  function transmit(outgoing: Outgoing): void {
    if (!socket.connected) return
    outgoing.attempts++
    const { key, payload } = outgoing
    history.record({ type: 'sent', key, body: bodyOf(payload), attempt: outgoing.attempts })
    if (random.chance(0.2)) {
      socket.emit(events.sendMessage, payload)
      history.record({ type: 'abandoned', key })
      outbox.finish(outgoing)
      return
    }
    socket.timeout(patienceMs).emit(events.sendMessage, payload, (error: Error | null, answer: Answer) => {
      if (error !== null) history.record({ type: 'abandoned', key })
      else if (answer.ok) history.record({ type: 'acked', key, ...('seq' in answer && { seq: answer.seq }) })
      else history.record({ type: 'refused', key, code: answer.code })
      outbox.finish(outgoing)
    })
  }

  const outbox = createOutbox({ name, random, perSecond, dispatch: transmit })

  return {
    name,
    role: 'plain',
    outbox,
    open() {
      history.record({ type: 'opened', role: 'plain' })
      socket.connect()
    },
    isReady: () => socket.connected,
    hasReceived: (key) => shown.has(key),
    deliveryCount: () => deliveries,
    socketId: () => socket.id,
    async close() {
      outbox.stop()
      socket.disconnect()
      await history.close()
    },
  }
}
