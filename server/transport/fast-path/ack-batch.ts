import type { Socket as EngineSocket } from 'engine.io'
import { gatherWrites } from './socket-writer.ts'

/**
 * Sends the acks of one batch in one write per WebSocket. Without the fast path, with polling, or while the WebSocket is
 * busy, each ack is sent separately.
 */
export function createAckBatch(hasFastPath: boolean) {
  let gathered: Map<EngineSocket, () => void> | null = null

  return {
    /** Holds the writes to connections that `join` while `acknowledgeAll` runs, then sends them. */
    gather(acknowledgeAll: () => void): void {
      const sends = new Map<EngineSocket, () => void>()
      gathered = sends
      try {
        acknowledgeAll()
      } finally {
        gathered = null
        for (const send of sends.values()) send()
      }
    },
    /** Adds a connection to the current batch, if there is one and the connection can hold its writes. */
    join(connection: EngineSocket): void {
      if (gathered === null || !hasFastPath || gathered.has(connection)) return
      const send = gatherWrites(connection)
      if (send !== null) gathered.set(connection, send)
    },
  }
}

export type AckBatch = ReturnType<typeof createAckBatch>
