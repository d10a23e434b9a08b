import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { ChatMessage, Cursor, SendAck } from '../../contract/messages.ts'
import { connectionOptions, type FaultClient, type FaultClientOptions } from './client.ts'
import { bodyOf, keyOf, removedMark } from './history.ts'
import { createOutbox, type Outgoing } from './outbox.ts'
import { contentOf } from './restrictions.ts'

const ackTimeoutMs = 10_000
const retryDelayMs = 300

/** Acknowledgement of a server. The control server has no log, so its acknowledgement has no position. */
type AckReply = SendAck | { ok: true }

/**
 * Creates a client that uses only the specified events: no id, no cursor, no repeats. The client requests positions only to
 * record them.
 */
export function createPlainClient({
  name,
  port,
  transport,
  perSecond,
  history,
  random,
}: FaultClientOptions): FaultClient {
  const receivedKeys = new Set<string>()
  let deliveryCount = 0
  let isClosed = false
  const socket = io(`http://127.0.0.1:${port}`, { ...connectionOptions(transport), auth: { positions: true } })

  socket.on('connect', () => {
    history.record({ type: 'connected', transport: socket.io.engine.transport.name })
    const inFlight = outbox.inFlight()
    if (inFlight !== null && inFlight.attempts === 0) transmit(inFlight)
  })
  socket.on('connect_error', () => {
    // Socket.IO does not reconnect after the server rejects the handshake.
    if (!socket.active && !isClosed) setTimeout(() => isClosed || socket.connect(), retryDelayMs)
  })
  socket.on('disconnect', (reason) => history.record({ type: 'disconnected', reason }))
  socket.on(events.cursor, (cursor: Cursor) => history.record({ type: 'cursor', ...cursor }))
  socket.on(events.receiveMessage, (payload: ChatMessage, position?: Cursor) => {
    deliveryCount++
    receivedKeys.add(keyOf(payload))
    history.record({
      type: 'received',
      key: keyOf(payload),
      body: bodyOf(payload),
      ...removedMark(payload),
      ...position,
    })
  })

  function transmit(outgoing: Outgoing): void {
    if (!socket.connected) return
    outgoing.attempts++
    const { key, payload } = outgoing
    history.record({ type: 'sent', key, body: bodyOf(payload), attempt: outgoing.attempts, ...contentOf(payload) })
    if (random.chance(0.2)) {
      socket.emit(events.sendMessage, payload)
      history.record({ type: 'abandoned', key })
      outbox.finish(outgoing)
      return
    }
    socket.timeout(ackTimeoutMs).emit(events.sendMessage, payload, (error: Error | null, ack: AckReply) => {
      if (error !== null) history.record({ type: 'abandoned', key })
      else if (ack.ok) history.record({ type: 'acked', key, ...('seq' in ack && { seq: ack.seq }) })
      else history.record({ type: 'rejected', key, code: ack.code })
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
    hasReceived: (key) => receivedKeys.has(key),
    deliveryCount: () => deliveryCount,
    socketId: () => socket.id,
    async close() {
      isClosed = true
      outbox.stop()
      socket.disconnect()
      await history.close()
    },
  }
}
