import { events } from '../../../contract/events.ts'
import type { ChatMessage, SendAck } from '../../../contract/messages.ts'
import type { MeasuredServer } from './measured-server.ts'
import { percentile } from './statistics.ts'

const everyMs = 200

/** Starts clients that each use their own address, send at a normal rate, and measure the delays. */
export async function startBackgroundChat(server: MeasuredServer, count: number) {
  const clients = await Promise.all(Array.from({ length: count }, (_, i) => server.client(`198.51.100.${i + 1}`)))
  const sentAt = new Map<string, number>()
  const delaysMs: number[] = []
  const acksMs: number[] = []
  let sent = 0
  let received = 0
  for (const client of clients) {
    client.on(events.receiveMessage, ({ message }: ChatMessage) => {
      const at = sentAt.get(message)
      if (at === undefined) return
      received++
      delaysMs.push(performance.now() - at)
    })
  }
  const sending = setInterval(() => {
    const message = `message ${sent}`
    const startedAt = performance.now()
    sentAt.set(message, startedAt)
    const payload = { username: 'chat client', message, createdTime: Date.now() }
    clients[sent++ % count]?.emit(events.sendMessage, payload, ({ ok }: SendAck) => {
      if (ok) acksMs.push(performance.now() - startedAt)
    })
  }, everyMs / count)

  return {
    /**
     * Stops sending, waits up to 10 s for outstanding deliveries, closes the clients, and returns counts and percentiles.
     */
    async stop() {
      clearInterval(sending)
      const deadline = performance.now() + 10_000
      while (received < sent * count && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10))
      for (const client of clients) client.close()
      return {
        sent,
        missing: sent * count - received,
        unacknowledged: sent - acksMs.length,
        p50Ms: percentile(delaysMs, 50),
        p99Ms: percentile(delaysMs, 99),
        ackP50Ms: percentile(acksMs, 50),
        ackP99Ms: percentile(acksMs, 99),
      }
    },
  }
}
