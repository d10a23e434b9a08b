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
    const dueMs = (index: number) => order.startAtMs + index * order.intervalMs
    // Made beforehand: while it measures, the load has better things to do.
    const frames = Array.from({ length: order.total }, (_, index) => {
      const id = order.firstId + index
      return dialect().encode(id, messageText(id, order.textCharacters), Math.round(dueMs(index) + createdOffset))
    })
    const tick = () => {
      const now = nowMs()
      while (sent < order.total && dueMs(sent) <= now) {
        worstDelayMs = Math.max(worstDelayMs, now - dueMs(sent))
        connections[sent % senders]!.socket.write(frames[sent]!)
        sent++
      }
      if (sent < order.total) timer = setTimeout(tick, Math.max(1, dueMs(sent) - now))
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
