import type { Socket as EngineSocket } from 'engine.io'
import type { Networks } from '../../limits/addresses.ts'
import { createNetworkCounts } from '../../limits/network-counts.ts'
import { terminate } from '../fast-path/socket-writer.ts'

/** Time in which a connection must ask to join the room. */
export const joinTimeoutMs = 10_000
/**
 * Shorter timeout while an address or its network has many connections that have not asked to join. A client asks after
 * one round trip.
 */
export const shortJoinTimeoutMs = 2_000
/** Share of the allowed connections of an address that get the full timeout. */
const fullTimeoutShare = 1 / 8

/** Returns the maximum number of waiting connections of one address that get the full timeout. */
export function maxConnectionsWithFullTimeout(maxConnectionsPerIp: number): number {
  return Math.ceil(maxConnectionsPerIp * fullTimeoutShare)
}

/**
 * Closes connections that do not ask to join in time. A page of another site can open such connections in the browser
 * of a visitor. The address of the visitor would then have no connection left for the room.
 */
export function createJoinDeadline(maxConnectionsPerIp: number) {
  const waiting = createNetworkCounts(maxConnectionsWithFullTimeout(maxConnectionsPerIp))
  const deadlines = new Map<EngineSocket, { networks: Networks | null; timer: NodeJS.Timeout }>()

  return {
    add(connection: EngineSocket, networks: Networks | null): void {
      const timeoutMs = waiting.isFull(networks) ? shortJoinTimeoutMs : joinTimeoutMs
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
