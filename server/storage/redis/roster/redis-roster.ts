import { randomUUID } from 'node:crypto'
import type { Report } from '../../../observe/events.ts'
import type { Roster, RosterListener } from '../../../room/presence/roster.ts'
import { followChanges } from './follow-changes.ts'
import { createNodeLists, type Effect } from './node-lists.ts'
import { createOwnList } from './own-list.ts'
import { createRosterStore } from './roster-store.ts'

export interface RosterTiming {
  heartbeatMs: number
  /** Time without a heartbeat after which a node counts as stopped. The node itself then drops the lists of all other nodes. */
  leaseMs: number
  /** Delay after a failed heartbeat. */
  retryMs: number
  /** Time for a published change to arrive before the list of its node is read. */
  arrivalMs: number
}

const defaultRosterTiming: RosterTiming = { heartbeatMs: 2_000, leaseMs: 8_000, retryMs: 500, arrivalMs: 500 }

/** Opens the roster of all nodes on one Redis. Each node publishes its changes and renews its lease with heartbeats. */
export function openRedisRoster(
  url: string,
  listener: RosterListener,
  report: Report,
  timing = defaultRosterTiming,
): Roster {
  const onFailed = (error: unknown) => report({ type: 'redis-roster-failed', error })
  const node = randomUUID()
  const store = createRosterStore(url, node)
  const own = createOwnList(store, onFailed)
  const lists = createNodeLists()
  const reading = new Map<string, 'once' | 'again'>()
  let heartbeatTimer: NodeJS.Timeout | undefined
  let leaseTimer: NodeJS.Timeout | undefined
  let arrivalTimer: NodeJS.Timeout | undefined
  let isClosed = false

  const changes = followChanges(url, (change) => {
    if (change.node === node || isClosed) return
    apply(change.version === undefined ? lists.removeNode(change.node) : lists.applyDelta(change))
  })

  function apply({ joined, left, read }: Effect): void {
    for (const id of joined) listener.join(id)
    for (const id of left) listener.leave(id)
    for (const other of read) void readList(other)
  }

  /** Reads the list of a node. A request during a read of the same list causes one more read after it. */
  async function readList(other: string): Promise<void> {
    if (reading.has(other)) {
      reading.set(other, 'again')
      return
    }
    reading.set(other, 'once')
    try {
      const list = await store.read(other)
      if (!isClosed) apply(lists.applyList(other, list))
    } catch (error) {
      // The next heartbeat requests the list again.
      onFailed(error)
    }
    const isReadAgain = reading.get(other) === 'again'
    reading.delete(other)
    if (isReadAgain && !isClosed) await readList(other)
  }

  async function heartbeat(): Promise<void> {
    const sentAt = performance.now()
    const number = lists.startHeartbeat()
    let nextMs = timing.retryMs
    try {
      const liveNodes = await store.heartbeat(timing.leaseMs)
      if (isClosed) return
      restartLease(timing.leaseMs - (performance.now() - sentAt))
      const others = liveNodes.filter((one) => one.node !== node)
      own.checkStoredVersion(liveNodes.find((one) => one.node === node)?.version ?? null)
      apply(lists.applyHeartbeat(number, new Map(others.map((one) => [one.node, one.version]))))
      if (lists.behind().length > 0) arrivalTimer ??= setTimeout(readListsBehind, timing.arrivalMs)
      // Detect a stopped node when its lease ends, not one heartbeat later.
      nextMs = Math.min(timing.heartbeatMs, ...others.map(({ ageMs }) => Math.max(20, timing.leaseMs - ageMs + 20)))
    } catch (error) {
      onFailed(error)
    }
    if (!isClosed) heartbeatTimer = setTimeout(() => void heartbeat(), nextMs)
  }

  function restartLease(remainingMs: number): void {
    clearTimeout(leaseTimer)
    leaseTimer = setTimeout(() => apply(lists.removeAllNodes()), Math.max(0, remainingMs))
  }

  /** Reads the lists whose published changes did not arrive, and replaces the connection that lost them. */
  function readListsBehind(): void {
    arrivalTimer = undefined
    const behind = lists.behind()
    if (behind.length > 0) changes.reconnect()
    for (const other of behind) void readList(other)
  }

  void heartbeat()

  return {
    join(id) {
      listener.join(id)
      own.join(id)
    },
    leave(id) {
      listener.leave(id)
      own.leave(id)
    },
    async close() {
      isClosed = true
      for (const timer of [heartbeatTimer, leaseTimer, arrivalTimer]) clearTimeout(timer)
      own.close()
      changes.close()
      try {
        await store.leave()
      } catch (error) {
        // Other nodes remove this node when its lease expires.
        onFailed(error)
      }
      store.close()
    },
  }
}
