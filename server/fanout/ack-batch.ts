import type { Socket as EngineSocket } from 'engine.io'
import { gatherWrites, type WritePath } from './socket-writer.ts'

/** Gathers what is written to a connection until `release`: the answers of one flush leave in one write per sender. */
export function createAckBatch(path: WritePath) {
  let held = new Map<EngineSocket, () => void>()

  return {
    hold(connection: EngineSocket): void {
      if (path === 'ordinary' || held.has(connection)) return
      const send = gatherWrites(connection)
      if (send !== null) held.set(connection, send)
    },
    release(): void {
      const sends = held.values()
      held = new Map()
      for (const send of sends) send()
    },
  }
}

export type AckBatch = ReturnType<typeof createAckBatch>
