import type { Socket as EngineSocket } from 'engine.io'
import { corkedTcp } from './socket-writer.ts'

/** Gathers what is written to a connection until `release`: the answers of one flush leave in one write per sender. */
export function createHeldWrites() {
  let held = new Map<EngineSocket, () => void>()

  return {
    hold(connection: EngineSocket): void {
      if (held.has(connection)) return
      const uncork = corkedTcp(connection)
      if (uncork !== null) held.set(connection, uncork)
    },
    release(): void {
      const uncorks = held.values()
      held = new Map()
      for (const uncork of uncorks) uncork()
    },
  }
}

export type HeldWrites = ReturnType<typeof createHeldWrites>
