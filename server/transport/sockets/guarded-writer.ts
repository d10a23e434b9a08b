import type { Socket as EngineSocket } from 'engine.io'
import type { Report } from '../../observe/events.ts'
import type { SlowConsumerReason } from '../../observe/reasons.ts'
import type { EncodedPackets } from '../../room/deliver/encoded-packets.ts'
import { framesOf } from '../fast-path/frames.ts'
import { type SocketWriter, terminate } from '../fast-path/socket-writer.ts'

/** Unread message bytes above which a connection gets no live messages. The room then serves it by replay, as fast as it reads. */
const maxLiveUnreadBytes = 512 * 1_024
/** Unread message bytes above which a connection is closed before another write. The client reconnects and resumes. */
export const maxUnreadBytes = 1_024 * 1_024
/** Time without progress after which a connection with unread bytes is closed. */
export const maxIdleMs = 10_000
const sweepIntervalMs = 1_000

interface Backlog {
  /** Time of the last progress, and the number of sent bytes at that time. */
  progressAtMs: number
  sentBytes: number
  /** Unread list of online users. Its bytes do not count as unread messages. */
  list: { bytes: number; endsAtBytes: number } | null
}

/** Writes packets to connections and closes slow consumers, which would otherwise delay other clients or fill the memory. */
export function createGuardedWriter(writer: SocketWriter, report: Report) {
  const backlogs = new Map<EngineSocket, Backlog>()
  const sweep = setInterval(() => {
    for (const [connection, backlog] of backlogs) {
      if (connection.readyState !== 'open' || writer.unreadBytes(connection) === 0) backlogs.delete(connection)
      else if (isStuck(connection, backlog)) close(connection, 'unwritable')
    }
  }, sweepIntervalMs).unref()

  function isStuck(connection: EngineSocket, backlog: Backlog): boolean {
    const nowMs = performance.now()
    const sentBytes = writer.sentBytes(connection)
    if (sentBytes !== backlog.sentBytes) Object.assign(backlog, { sentBytes, progressAtMs: nowMs })
    return nowMs - backlog.progressAtMs > maxIdleMs
  }

  function close(connection: EngineSocket, reason: SlowConsumerReason): void {
    backlogs.delete(connection)
    terminate(connection)
    report({ type: 'slow-consumer-closed', reason })
  }

  /** Returns the unread bytes of the newest list of online users. */
  function unreadListBytes(connection: EngineSocket, { list }: Backlog): number {
    if (list === null) return 0
    return Math.max(0, Math.min(list.bytes, list.endsAtBytes - writer.sentBytes(connection)))
  }

  function unreadMessageBytes(connection: EngineSocket): number {
    const backlog = backlogs.get(connection)
    return backlog === undefined ? 0 : writer.unreadBytes(connection) - unreadListBytes(connection, backlog)
  }

  /**
   * Tracks a connection with unread bytes and returns its backlog. If the connection has none, stops tracking it and
   * returns `null`.
   */
  function track(connection: EngineSocket): Backlog | null {
    if (writer.unreadBytes(connection) === 0) {
      backlogs.delete(connection)
      return null
    }
    let backlog = backlogs.get(connection)
    if (backlog === undefined) {
      backlog = { progressAtMs: performance.now(), sentBytes: writer.sentBytes(connection), list: null }
      backlogs.set(connection, backlog)
    }
    return backlog
  }

  /** Closes connections with too many unread bytes before this write. Returns the others. */
  function closeSlowConsumers(connections: readonly EngineSocket[]): readonly EngineSocket[] {
    if (backlogs.size === 0) return connections
    return connections.filter((connection) => {
      if (unreadMessageBytes(connection) <= maxUnreadBytes) return true
      close(connection, 'unread')
      return false
    })
  }

  function writeTracked(connections: readonly EngineSocket[], packets: EncodedPackets): void {
    const hasUnsent = writer.write(connections, packets)
    if (!hasUnsent && backlogs.size === 0) return
    for (const connection of connections) track(connection)
  }

  return {
    write(connections: readonly EngineSocket[], packets: EncodedPackets): void {
      writeTracked(closeSlowConsumers(connections), packets)
    },
    /** Writes to connections for which `isBehind` returned false, so none has too many unread bytes. */
    writeLive: writeTracked,
    /** Writes a list of online users. Do not call it for a connection that has an unread list. */
    writeList(connections: readonly EngineSocket[], packets: EncodedPackets): void {
      writeTracked(closeSlowConsumers(connections), packets)
      if (backlogs.size === 0) return
      const { length: bytes } = framesOf(packets)
      for (const connection of connections) {
        const backlog = backlogs.get(connection)
        if (backlog === undefined) continue
        backlog.list = { bytes, endsAtBytes: writer.sentBytes(connection) + writer.unreadBytes(connection) }
      }
    },
    hasUnreadList(connection: EngineSocket): boolean {
      const backlog = backlogs.get(connection)
      return backlog !== undefined && unreadListBytes(connection, backlog) > 0
    },
    isBehind(connection: EngineSocket): boolean {
      const unreadBytes = backlogs.size === 0 ? 0 : unreadMessageBytes(connection)
      if (unreadBytes === 0) return false
      // A polling client must read everything first, because Engine.IO keeps several objects for each waiting message.
      return unreadBytes > maxLiveUnreadBytes || connection.transport.name === 'polling'
    },
    /** Writes a replay page. Resolves when the page is sent. Closes a slow consumer after `maxIdleMs` without progress. */
    writePage(connection: EngineSocket, packets: EncodedPackets): Promise<void> {
      const drained = writer.writeAndDrain(connection, packets)
      track(connection)
      return drained
    },
    /** Tracks a connection that sends, so that unread acks are detected although nothing else is written to it. */
    watch: (connection: EngineSocket): void => void track(connection),
    stop: () => clearInterval(sweep),
  }
}

export type GuardedWriter = ReturnType<typeof createGuardedWriter>
