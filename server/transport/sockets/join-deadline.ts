import type { Socket as EngineSocket } from 'engine.io'
import type { Networks } from '../../limits/addresses.ts'
import { createNetworkCounts } from '../../limits/network-counts.ts'
import { terminate } from '../fast-path/socket-writer.ts'

/** Time in which a connection must ask to join the room. */
export const joinTimeoutMs = 10_000
/** The same, while the address has many connections that did not ask yet. A client asks after one round trip. */
export const crowdedJoinTimeoutMs = 2_000
/** Part of an address's connections that may wait for the whole time. */
const patientPart = 1 / 8

/** Returns the number of connections of one address that may wait for the whole time. */
export function maxPatientConnections(maxConnectionsPerIp: number): number {
  return Math.ceil(maxConnectionsPerIp * patientPart)
}

/**
 * Closes connections that do not ask to join in time. A page of another site can open them in the browsers of its
 * visitors, who would then have no connection left for the room.
 */
export function createJoinDeadline(maxConnectionsPerIp: number) {
  const waiting = createNetworkCounts(maxPatientConnections(maxConnectionsPerIp))
  const deadlines = new Map<EngineSocket, { networks: Networks | null; timer: NodeJS.Timeout }>()

  return {
    add(connection: EngineSocket, networks: Networks | null): void {
      const timeoutMs = waiting.isFull(networks) ? crowdedJoinTimeoutMs : joinTimeoutMs
      waiting.add(networks)
      // `close` would wait for a polling client that no longer polls.
      deadlines.set(connection, { networks, timer: setTimeout(terminate, timeoutMs, connection).unref() })
    },
    /** Ends the wait of a connection that asks to join, or that is closed. */
    remove(connection: EngineSocket): void {
      const deadline = deadlines.get(connection)
      if (deadline === undefined) return
      deadlines.delete(connection)
      clearTimeout(deadline.timer)
      waiting.remove(deadline.networks)
    },
  }
}
