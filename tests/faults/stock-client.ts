import { io } from 'socket.io-client'
import { events } from '../../contract/events.ts'
import type { ChatMessage } from '../../contract/messages.ts'
import { connectionOptions, type FaultClient, type FaultClientOptions } from './client.ts'
import { bodyOf, keyOf } from './history.ts'
import { createOutbox } from './outbox.ts'

/** Creates a client of the control server: socket.io-client with its connection state recovery and its retries. */
export function createStockClient({
  name,
  port,
  transport,
  perSecond,
  history,
  random,
}: FaultClientOptions): FaultClient {
  const receivedKeys = new Set<string>()
  let deliveryCount = 0
  const socket = io(`http://127.0.0.1:${port}`, {
    ...connectionOptions(transport),
    retries: Number.MAX_SAFE_INTEGER,
    ackTimeout: 5_000,
  })

  socket.on('connect', () => {
    history.record({ type: 'connected', transport: socket.io.engine.transport.name })
  })
  socket.on('disconnect', (reason) => history.record({ type: 'disconnected', reason }))
  socket.on(events.receiveMessage, (payload: ChatMessage) => {
    deliveryCount++
    receivedKeys.add(keyOf(payload))
    history.record({ type: 'received', key: keyOf(payload), body: bodyOf(payload) })
  })

  const outbox = createOutbox({
    name,
    random,
    perSecond,
    dispatch(outgoing) {
      const { key, payload } = outgoing
      history.record({ type: 'sent', key, body: bodyOf(payload), attempt: 1 })
      socket.emit(events.sendMessage, payload, (error: Error | null) => {
        history.record(error === null ? { type: 'acked', key } : { type: 'abandoned', key })
        outbox.finish(outgoing)
      })
    },
  })

  return {
    name,
    role: 'returning',
    outbox,
    open() {
      history.record({ type: 'opened', role: 'returning' })
      socket.connect()
    },
    isReady: () => socket.connected,
    hasReceived: (key) => receivedKeys.has(key),
    deliveryCount: () => deliveryCount,
    socketId: () => socket.id,
    async close() {
      outbox.stop()
      socket.disconnect()
      await history.close()
    },
  }
}
