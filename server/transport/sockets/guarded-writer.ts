import type { Socket as EngineSocket } from 'engine.io'
import type { Report } from '../../observe/events.ts'
import type { SlowConsumerReason } from '../../observe/reasons.ts'
import type { EncodedPackets } from '../../room/deliver/encoded-packets.ts'
import { framesOf } from '../fast-path/frames.ts'
import { type SocketWriter, terminate } from '../fast-path/socket-writer.ts'

/** A reader with more unread than this gets no live messages: it is served page by page, at the pace it reads. */
const maxLiveUnreadBytes = 512 * 1_024
/** With more unread than this before another write a reader is let go; it comes back and resumes. */
export const maxUnreadBytes = 1_024 * 1_024
/** A reader that has something to take and takes not one byte for so long is let go. */
export const maxIdleMs = 10_000
const sweepIntervalMs = 1_000

interface Backlog {
  /** When the reader last took anything, and how much it had taken by then. */
  progressAtMs: number
  sentBytes: number
  /** A list of who is online that is not fully taken: its size is not the reader's fault. */
  list: { bytes: number; endsAtBytes: number } | null
}

/** Writes to all sockets and closes slow consumers, which would otherwise delay other clients or fill the memory. */
export function createGuardedWriter(writer: SocketWriter, report: Report) {
  const backlogs = new Map<EngineSocket, Backlog>()
  const sweep = setInterval(() => {
    for (const [connection, backlog] of backlogs) {
      if (connection.readyState !== 'open' || writer.unreadBytes(connection) === 0) backlogs.delete(connection)
      else if (isStuck(connection, backlog)) end(connection, 'unwritable')
    }
  }, sweepIntervalMs).unref()

  function isStuck(connection: EngineSocket, backlog: Backlog): boolean {
    const nowMs = performance.now()
    const sentBytes = writer.sentBytes(connection)
    if (sentBytes !== backlog.sentBytes) Object.assign(backlog, { sentBytes, progressAtMs: nowMs })
    return nowMs - backlog.progressAtMs > maxIdleMs
  }

  function end(connection: EngineSocket, reason: SlowConsumerReason): void {
    backlogs.delete(connection)
    terminate(connection)
    report({ type: 'slow-consumer-closed', reason })
  }

  /** What is left of the list that was written last: it shrinks as the reader takes it. */
  function unreadListBytes(connection: EngineSocket, { list }: Backlog): number {
    if (list === null) return 0
    return Math.max(0, Math.min(list.bytes, list.endsAtBytes - writer.sentBytes(connection)))
  }

  function unreadMessageBytes(connection: EngineSocket): number {
    const backlog = backlogs.get(connection)
    return backlog === undefined ? 0 : writer.unreadBytes(connection) - unreadListBytes(connection, backlog)
  }

  /** From when something is left unread until all of it is taken. */
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

  /** Those who may be written to; the others have left too much unread, before this write, and are let go. */
  function closeSlowConsumers(connections: readonly EngineSocket[]): readonly EngineSocket[] {
    if (backlogs.size === 0) return connections
    return connections.filter((connection) => {
      if (unreadMessageBytes(connection) <= maxUnreadBytes) return true
      end(connection, 'unread')
      return false
    })
  }

  function writeTracked(readers: readonly EngineSocket[], packets: EncodedPackets): void {
    const somethingWaits = writer.write(readers, packets)
    if (!somethingWaits && backlogs.size === 0) return
    for (const connection of readers) track(connection)
  }

  return {
    write(connections: readonly EngineSocket[], packets: EncodedPackets): void {
      writeTracked(closeSlowConsumers(connections), packets)
    },
    /** For readers of whom none `isBehind`: none of them can have left too much unread. */
    writeLive: writeTracked,
    /** One at a time: for a reader that `hasUnreadList` the next has to wait. */
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
    isBehind: (connection: EngineSocket): boolean =>
      backlogs.size > 0 && unreadMessageBytes(connection) > maxLiveUnreadBytes,
    /** A page of replay: resolves once the reader has taken it. One that takes nothing is let go. */
    writePage(connection: EngineSocket, packets: EncodedPackets): Promise<void> {
      const drained = writer.writeAndDrain(connection, packets)
      track(connection)
      return drained
    },
    /** For whoever sends: answers too are let go of when nobody takes them, also in a room where nothing is said. */
    watch: (connection: EngineSocket): void => void track(connection),
    stop: () => clearInterval(sweep),
  }
}

export type GuardedWriter = ReturnType<typeof createGuardedWriter>
