import type { Socket as EngineSocket } from 'engine.io'
import { gatherWrites } from './socket-writer.ts'

/** Sends the acks of one batch in one write per connection. Without the fast path, each ack is sent at once. */
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
    /** Adds a connection to the current batch. Outside of a batch, it does nothing: an ack is sent at once. */
    join(connection: EngineSocket): void {
      if (gathered === null || !hasFastPath || gathered.has(connection)) return
      const send = gatherWrites(connection)
      if (send !== null) gathered.set(connection, send)
    },
  }
}

export type AckBatch = ReturnType<typeof createAckBatch>
