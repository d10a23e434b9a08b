import { nowMs } from './clock.ts'

/** An open-loop burst: message `firstId + i` is due at `startAtMs + i * intervalMs`, whatever happened to the others. */
export interface Burst {
  firstId: number
  total: number
  startAtMs: number
  intervalMs: number
}

export interface TallyReport {
  connections: number
  delivered: number
  expected: number
  /** Connections that did not get every message exactly once. */
  wrongConnections: number
  /** Every connection saw the same messages in the same order. */
  sameOrder: boolean
  bytes: number
  lastDeliveryMs: number
  latencyBuckets: Record<string, number>
}

export const bucketMs = 0.1
const bucketCount = 100_000

/**
 * Counts every delivery on every connection: how many, the sum of the numbers and a hash of their order.
 * A lost, doubled or foreign message changes at least one of the three. Latency is taken of every delivery too.
 */
export function createTally(capacity: number) {
  const counts = new Int32Array(capacity)
  const sums = new Float64Array(capacity)
  const orders = new Int32Array(capacity)
  const buckets = new Uint32Array(bucketCount)
  const ignored = new Uint8Array(capacity)
  let burst: Burst = { firstId: 0, total: 0, startAtMs: 0, intervalMs: 1 }
  let received = 0
  let bytes = 0
  let lastDeliveryMs = 0

  function begin(next: Burst): void {
    burst = next
    counts.fill(0)
    sums.fill(0)
    orders.fill(0)
    buckets.fill(0)
    received = 0
    bytes = 0
    lastDeliveryMs = 0
  }

  /** `atMs` is when the chunk that held the message was read. */
  function add(connection: number, id: number, atMs: number): void {
    const index = id - burst.firstId
    if (index < 0 || ignored[connection] === 1) return
    counts[connection]!++
    sums[connection]! += index
    orders[connection] = (Math.imul(orders[connection]!, 31) + index) | 0
    received++
    lastDeliveryMs = atMs
    const bucket = ((atMs - burst.startAtMs - index * burst.intervalMs) / bucketMs) | 0
    buckets[bucket < 0 ? 0 : bucket >= bucketCount ? bucketCount - 1 : bucket]!++
  }

  /** For a server whose messages carry no number: they are numbered as they come. */
  function addNext(connection: number, atMs: number): void {
    add(connection, burst.firstId + counts[connection]!, atMs)
  }

  function report(connections: number): TallyReport {
    const expectedSum = (burst.total * (burst.total - 1)) / 2
    let judged = 0
    let wrongConnections = 0
    let order: number | undefined
    let sameOrder = true
    for (let index = 0; index < connections; index++) {
      if (ignored[index] === 1) continue
      judged++
      if (counts[index] !== burst.total || sums[index] !== expectedSum) wrongConnections++
      order ??= orders[index]!
      if (orders[index] !== order) sameOrder = false
    }
    const latencyBuckets: Record<string, number> = {}
    buckets.forEach((count, bucket) => {
      if (count > 0) latencyBuckets[bucket] = count
    })
    return {
      connections: judged,
      delivered: received,
      expected: judged * burst.total,
      wrongConnections,
      sameOrder,
      bytes,
      lastDeliveryMs,
      latencyBuckets,
    }
  }

  /** Resolves when everything has come or nothing more is to be expected before the deadline. */
  async function settled(connections: () => number, deadlineMs: number): Promise<void> {
    const judged = () => {
      let count = 0
      for (let index = 0; index < connections(); index++) if (ignored[index] === 0) count++
      return count
    }
    while (received < judged() * burst.total && nowMs() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  return {
    begin,
    add,
    addNext,
    addBytes: (count: number) => {
      bytes += count
    },
    ignore: (connection: number, on: boolean) => {
      ignored[connection] = on ? 1 : 0
    },
    report,
    settled,
    received: () => received,
  }
}
export type Tally = ReturnType<typeof createTally>
