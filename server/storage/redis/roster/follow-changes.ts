import { setTimeout as pause } from 'node:timers/promises'
import { openRedisConnection, type RedisConnection } from '../redis-connection.ts'
import { newestChange, readChanges, type Told } from './roster-store.ts'

/** One read per window: presence gathers for longer than that anyway. */
const windowMs = 50
const reconnectMs = 500

/**
 * Hears what the nodes tell, on a connection of its own. Every wait for something new ends within a second or two, so a
 * connection that is dead without a word is noticed; what was told meanwhile shows in the versions of the next beat.
 */
export function followChanges(url: string, onTold: (told: Told) => void) {
  let connection: RedisConnection | null = null
  let closed = false

  async function follow(): Promise<void> {
    connection = await openRedisConnection(url, 'chat-room-presence-reader')
    let last = await newestChange(connection)
    while (!closed) {
      const { last: read, told } = await readChanges(connection, last)
      last = read
      for (const one of told) onTold(one)
      await pause(windowMs, undefined, { ref: false })
    }
  }

  async function followAgainAndAgain(): Promise<void> {
    while (!closed) {
      // Beats fail as well then, and they are what says so.
      await follow().catch(() => undefined)
      connection?.close()
      if (!closed) await pause(reconnectMs, undefined, { ref: false })
    }
  }
  void followAgainAndAgain()

  return {
    /** Something was told and not heard: this connection is not to be trusted. */
    renew: () => connection?.close(),
    close(): void {
      closed = true
      connection?.close()
    },
  }
}
