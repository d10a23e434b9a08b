import { nowMs } from './clock.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import type { BurstOrder } from './fleet-protocol.ts'
import { messageText } from './message-text.ts'

/**
 * Open loop: each message leaves when it is due, whether or not the server keeps up; what is overdue leaves at once
 * and its delay counts. Connections take turns.
 */
export function createSender(dialect: () => Dialect, connections: Connection[]) {
  let timer: NodeJS.Timeout | undefined
  let worstDelayMs = 0
  let sent = 0

  function start(order: BurstOrder): void {
    sent = 0
    worstDelayMs = 0
    const senders = Math.min(order.senders, connections.length)
    const createdOffset = Date.now() - nowMs()
    const tick = () => {
      const now = nowMs()
      while (sent < order.total) {
        const dueMs = order.startAtMs + sent * order.intervalMs
        if (dueMs > now) break
        worstDelayMs = Math.max(worstDelayMs, now - dueMs)
        const id = order.firstId + sent
        const text = messageText(id, order.textCharacters)
        const frame = dialect().encode(id, text, Math.round(dueMs + createdOffset))
        connections[sent % senders]!.socket.write(frame)
        sent++
      }
      if (sent < order.total) timer = setTimeout(tick, Math.max(1, order.startAtMs + sent * order.intervalMs - now))
    }
    timer = setTimeout(tick, Math.max(1, order.startAtMs - nowMs()))
  }

  return {
    start,
    stop: () => clearTimeout(timer),
    sent: () => sent,
    worstDelayMs: () => worstDelayMs,
  }
}
