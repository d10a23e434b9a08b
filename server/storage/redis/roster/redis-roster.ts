import { randomUUID } from 'node:crypto'
import type { Roster, RosterListener } from '../../../room/presence/roster.ts'
import { followChanges } from './follow-changes.ts'
import { createNodeLists, type Outcome } from './node-lists.ts'
import { createOwnList } from './own-list.ts'
import { createRosterStore } from './roster-store.ts'

export interface RosterTiming {
  beatMs: number
  /** A node that was not heard for so long is gone, by Redis's clock; and it knows that, by its own. */
  leaseMs: number
  /** After a beat that failed. */
  retryMs: number
  /** What was told is given so long to arrive before its node's list is read. */
  arrivalMs: number
}

const defaultRosterTiming: RosterTiming = { beatMs: 2_000, leaseMs: 8_000, retryMs: 500, arrivalMs: 500 }

interface RosterOptions {
  timing?: RosterTiming
  onFailed?: (error: unknown) => void
}

/** Who is where, on all nodes of one Redis: each tells its own changes, and says every other second that it is alive. */
export function openRedisRoster(url: string, listener: RosterListener, options: RosterOptions = {}): Roster {
  const { timing = defaultRosterTiming, onFailed = () => undefined } = options
  const node = randomUUID()
  const store = createRosterStore(url, node)
  const own = createOwnList(store, onFailed)
  const lists = createNodeLists()
  const reading = new Map<string, 'once' | 'again'>()
  let timer: NodeJS.Timeout | undefined
  let lapse: NodeJS.Timeout | undefined
  let arrival: NodeJS.Timeout | undefined
  let closed = false

  const changes = followChanges(url, (told) => {
    if (told.node === node || closed) return
    apply(told.version === undefined ? lists.gone(told.node) : lists.heard(told))
  })

  function apply({ joined, left, read }: Outcome): void {
    for (const id of joined) listener.join(id)
    for (const id of left) listener.leave(id)
    for (const other of read) void readList(other)
  }

  /** One read of a list at a time; who asks meanwhile gets another one after it. */
  async function readList(other: string): Promise<void> {
    if (reading.has(other)) {
      reading.set(other, 'again')
      return
    }
    reading.set(other, 'once')
    try {
      const list = await store.read(other)
      if (!closed) apply(lists.wasRead(other, list))
    } catch (error) {
      // The next beat finds it still behind.
      onFailed(error)
    }
    const isWantedAgain = reading.get(other) === 'again'
    reading.delete(other)
    if (isWantedAgain && !closed) await readList(other)
  }

  async function beat(): Promise<void> {
    const sentAt = performance.now()
    const number = lists.beatSent()
    let nextMs = timing.retryMs
    try {
      const alive = await store.beat(timing.leaseMs)
      if (closed) return
      restartLapse(timing.leaseMs - (performance.now() - sentAt))
      const others = alive.filter((one) => one.node !== node)
      own.storedIs(alive.find((one) => one.node === node)?.version ?? null)
      apply(lists.beatAnswered(number, new Map(others.map((one) => [one.node, one.version]))))
      if (lists.behind().length > 0) arrival ??= setTimeout(readWhatIsBehind, timing.arrivalMs)
      // Whoever has died is noticed when its lease ends, not a beat later.
      nextMs = Math.min(timing.beatMs, ...others.map(({ ageMs }) => Math.max(20, timing.leaseMs - ageMs + 20)))
    } catch (error) {
      onFailed(error)
    }
    if (!closed) timer = setTimeout(() => void beat(), nextMs)
  }

  function restartLapse(leftMs: number): void {
    clearTimeout(lapse)
    lapse = setTimeout(() => apply(lists.forgetAll()), Math.max(0, leftMs))
  }

  /** Told, and not heard: whatever carries the changes has lost some. */
  function readWhatIsBehind(): void {
    arrival = undefined
    const behind = lists.behind()
    if (behind.length > 0) changes.renew()
    for (const other of behind) void readList(other)
  }

  void beat()

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
      closed = true
      for (const one of [timer, lapse, arrival]) clearTimeout(one)
      own.close()
      changes.close()
      try {
        await store.leave()
      } catch (error) {
        // Its lease ends by itself.
        onFailed(error)
      }
      store.close()
    },
  }
}
