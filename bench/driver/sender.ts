import { nowMs } from './clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialects/dialect.ts'
import type { BurstRequest } from './fleet-protocol.ts'
import { messageText } from './message-text.ts'

/**
 * Creates a sender of open-loop bursts. It sends each message at its due time, even if the server falls behind, and
 * overdue messages at once. The latency includes the delay of overdue messages. The connections send in round-robin order.
 */
export function createSender(getDialect: () => Dialect, connections: Connection[]) {
  let timer: NodeJS.Timeout | undefined
  let worstDelayMs = 0
  let sent = 0

  function start(request: BurstRequest): void {
    sent = 0
    worstDelayMs = 0
    const senders = Math.min(request.senders, connections.length)
    const createdOffset = Date.now() - nowMs()
    const dueMs = (index: number) => request.startAtMs + index * request.intervalMs
    // Encode the messages before the burst, so that encoding does not delay sending.
    const frames = Array.from({ length: request.total }, (_, index) => {
      const id = request.firstId + index
      return getDialect().encode(id, messageText(id, request.textCharacters), Math.round(dueMs(index) + createdOffset))
    })
    const tick = () => {
      const now = nowMs()
      while (sent < request.total && dueMs(sent) <= now) {
        worstDelayMs = Math.max(worstDelayMs, now - dueMs(sent))
        connections[sent % senders]!.socket.write(frames[sent]!)
        sent++
      }
      if (sent < request.total) timer = setTimeout(tick, Math.max(1, dueMs(sent) - now))
    }
    timer = setTimeout(tick, Math.max(1, request.startAtMs - nowMs()))
  }

  return {
    start,
    stop: () => clearTimeout(timer),
    sent: () => sent,
    worstDelayMs: () => worstDelayMs,
  }
}
