import { events } from '../../../contract/events.ts'
import type { ChatMessage, SendAck } from '../../../contract/messages.ts'
import type { MeasuredServer } from './measured-server.ts'
import { percentile } from './statistics.ts'

const everyMs = 200

/** Ordinary visitors, each at an address of its own, who talk at an ordinary pace and time how long they wait. */
export async function startChatters(server: MeasuredServer, count: number) {
  const clients = await Promise.all(Array.from({ length: count }, (_, i) => server.client(`198.51.100.${i + 1}`)))
  const sentAt = new Map<string, number>()
  const delaysMs: number[] = []
  const acksMs: number[] = []
  let sent = 0
  let heard = 0
  for (const client of clients) {
    client.on(events.receiveMessage, ({ message }: ChatMessage) => {
      const at = sentAt.get(message)
      if (at === undefined) return
      heard++
      delaysMs.push(performance.now() - at)
    })
  }
  const talking = setInterval(() => {
    const message = `chatter ${sent}`
    const startedAt = performance.now()
    sentAt.set(message, startedAt)
    const payload = { username: 'chatter', message, createdTime: Date.now() }
    clients[sent++ % count]?.emit(events.sendMessage, payload, ({ ok }: SendAck) => {
      if (ok) acksMs.push(performance.now() - startedAt)
    })
  }, everyMs / count)

  return {
    /** Ends the talk, waits for what is under way, and answers with the delays of every delivery. */
    async stop() {
      clearInterval(talking)
      const deadline = performance.now() + 10_000
      while (heard < sent * count && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 10))
      for (const client of clients) client.close()
      return {
        sent,
        missing: sent * count - heard,
        unacknowledged: sent - acksMs.length,
        p50Ms: percentile(delaysMs, 50),
        p99Ms: percentile(delaysMs, 99),
        ackP99Ms: percentile(acksMs, 99),
      }
    },
  }
}
