import { setTimeout as pause } from 'node:timers/promises'
import { openRedisConnection, type RedisConnection } from '../redis-connection.ts'
import { newestChangeId, readChanges, type RosterChange } from './roster-store.ts'

/** Interval between two reads. Presence collects changes for longer than that. */
const readIntervalMs = 50
const reconnectMs = 500

/**
 * Reads the changes that nodes publish, on its own connection. Each read has a deadline, so that a connection that was
 * lost silently is detected. Missed changes are detected by the versions in the next heartbeat.
 */
export function followChanges(url: string, onChange: (change: RosterChange) => void) {
  let connection: RedisConnection | null = null
  let isClosed = false

  async function follow(): Promise<void> {
    connection = await openRedisConnection(url, 'chat-room-presence-reader')
    let position = await newestChangeId(connection)
    while (!isClosed) {
      const { lastId, changes } = await readChanges(connection, position)
      position = lastId
      for (const change of changes) onChange(change)
      await pause(readIntervalMs, undefined, { ref: false })
    }
  }

  async function followUntilClosed(): Promise<void> {
    while (!isClosed) {
      // Ignore the error: if Redis is unavailable, the heartbeat fails too and reports it.
      await follow().catch(() => undefined)
      connection?.close()
      if (!isClosed) await pause(reconnectMs, undefined, { ref: false })
    }
  }
  void followUntilClosed()

  return {
    /** Replaces a connection that did not deliver a change. */
    reconnect: () => connection?.close(),
    close(): void {
      isClosed = true
      connection?.close()
    },
  }
}
