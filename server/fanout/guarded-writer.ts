import type { Socket as EngineSocket } from 'engine.io'
import type { EncodedPackets } from './encoded-packets.ts'
import { type SocketWriter, takenBytes, terminate, unreadBytes } from './socket-writer.ts'

/** Live messages that a reader may leave unread before it is let go; it comes back and resumes. */
const maxUnreadBytes = 1_024 * 1_024
const maxUnwritableMs = 10_000
const sweepIntervalMs = 1_000

interface Backlog {
  /** When the reader last took anything. */
  since: number
  taken: number
  polls: number
  countPoll: () => void
  /** Bytes that do not count against the reader: presence lists, whose size is not its fault. */
  allowanceBytes: number
}

/** Writes for all sockets, and lets go of those that do not read: one of them must neither slow nor fill the server. */
export function createGuardedWriter(writer: SocketWriter, onTerminated: (reason: 'unread' | 'unwritable') => void) {
  const backlogs = new Map<EngineSocket, Backlog>()
  const sweep = setInterval(() => {
    for (const [connection, backlog] of backlogs) {
      if (connection.readyState !== 'open' || unreadBytes(connection) === 0) forget(connection, backlog)
      else if (isStuck(connection, backlog)) end(connection, 'unwritable')
    }
  }, sweepIntervalMs).unref()

  function isStuck(connection: EngineSocket, backlog: Backlog): boolean {
    const now = performance.now()
    const taken = takenBytes(connection) + backlog.polls
    if (taken !== backlog.taken) Object.assign(backlog, { taken, since: now })
    return now - backlog.since > maxUnwritableMs
  }

  function begin(connection: EngineSocket): Backlog {
    const backlog: Backlog = {
      since: performance.now(),
      taken: takenBytes(connection),
      polls: 0,
      countPoll: () => backlog.polls++,
      allowanceBytes: 0,
    }
    connection.on('drain', backlog.countPoll)
    backlogs.set(connection, backlog)
    return backlog
  }

  function forget(connection: EngineSocket, backlog: Backlog): void {
    connection.off('drain', backlog.countPoll)
    backlogs.delete(connection)
  }

  function end(connection: EngineSocket, reason: 'unread' | 'unwritable'): void {
    const backlog = backlogs.get(connection)
    if (backlog !== undefined) forget(connection, backlog)
    terminate(connection)
    onTerminated(reason)
  }

  function track(connection: EngineSocket, allowanceBytes: number, maxBytes: number): void {
    const unread = unreadBytes(connection)
    const known = backlogs.get(connection)
    if (unread === 0) {
      if (known !== undefined) forget(connection, known)
      return
    }
    const backlog = known ?? begin(connection)
    backlog.allowanceBytes += allowanceBytes
    if (unread - backlog.allowanceBytes > maxBytes) end(connection, 'unread')
  }

  function writeTracked(connections: readonly EngineSocket[], packets: EncodedPackets, allowanceBytes: number): void {
    const somethingWaits = writer.write(connections, packets)
    if (!somethingWaits && backlogs.size === 0) return
    for (const connection of connections) track(connection, allowanceBytes, maxUnreadBytes)
  }

  return {
    writeMessages: (connections: readonly EngineSocket[], packets: EncodedPackets) =>
      writeTracked(connections, packets, 0),
    writePresence: (connections: readonly EngineSocket[], packets: EncodedPackets) =>
      writeTracked(connections, packets, packets.frames.length),
    /** Replay waits for its pages to drain, so their size is no matter; but a reader that takes nothing is let go. */
    writeReplay(connection: EngineSocket, packets: EncodedPackets): Promise<void> {
      const drained = writer.writeAndDrain(connection, packets)
      track(connection, 0, Number.POSITIVE_INFINITY)
      return drained
    },
    stop: () => clearInterval(sweep),
  }
}

export type GuardedWriter = ReturnType<typeof createGuardedWriter>
