import type { Socket as EngineSocket } from 'engine.io'
import type { Capabilities } from './library-internals.ts'
import { gatherWrites } from './socket-writer.ts'

/** The answers of one flush leave in one write per sender. */
export function createAckBatch({ batchedAcks }: Capabilities) {
  let gathered: Map<EngineSocket, () => void> | null = null

  return {
    /** While `answerAll` runs, what is written to those who `join` is gathered; then it leaves. */
    gather(answerAll: () => void): void {
      const sends = new Map<EngineSocket, () => void>()
      gathered = sends
      try {
        answerAll()
      } finally {
        gathered = null
        for (const send of sends.values()) send()
      }
    },
    /** Outside of a flush an answer leaves at once: nothing is held that nobody would let out. */
    join(connection: EngineSocket): void {
      if (gathered === null || !batchedAcks || gathered.has(connection)) return
      const send = gatherWrites(connection)
      if (send !== null) gathered.set(connection, send)
    },
  }
}

export type AckBatch = ReturnType<typeof createAckBatch>
