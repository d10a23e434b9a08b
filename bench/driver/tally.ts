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
const bucketsPerMs = 1 / bucketMs
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
  // A number in a typed array is changed in place; in a variable it would be a new object for every delivery.
  const lastDelivery = new Float64Array(1)
  let burst: Burst = { firstId: 0, total: 0, startAtMs: 0, intervalMs: 1 }
  let bucketsPerMessage = 0
  let bytes = 0

  function begin(next: Burst): void {
    burst = next
    bucketsPerMessage = next.intervalMs / bucketMs
    counts.fill(0)
    sums.fill(0)
    orders.fill(0)
    buckets.fill(0)
    lastDelivery.fill(0)
    bytes = 0
  }

  /** `atMs` is when the chunk that held the message was read. */
  function add(connection: number, id: number, atMs: number): void {
    const index = id - burst.firstId
    if (index < 0 || ignored[connection] === 1) return
    counts[connection]!++
    sums[connection]! += index
    orders[connection] = (Math.imul(orders[connection]!, 31) + index) | 0
    lastDelivery[0] = atMs
    const bucket = ((atMs - burst.startAtMs) * bucketsPerMs - index * bucketsPerMessage) | 0
    buckets[bucket < 0 ? 0 : bucket >= bucketCount ? bucketCount - 1 : bucket]!++
  }

  /** For a server whose messages carry no number: they are numbered as they come. */
  function addNext(connection: number, atMs: number): void {
    add(connection, burst.firstId + counts[connection]!, atMs)
  }

  function report(connections: number): TallyReport {
    const expectedSum = (burst.total * (burst.total - 1)) / 2
    let wrongConnections = 0
    let order: number | undefined
    let sameOrder = true
    for (let index = 0; index < connections; index++) {
      if (ignored[index] === 1) continue
      if (counts[index] !== burst.total || sums[index] !== expectedSum) wrongConnections++
      order ??= orders[index]!
      if (orders[index] !== order) sameOrder = false
    }
    const latencyBuckets: Record<string, number> = {}
    buckets.forEach((count, bucket) => {
      if (count > 0) latencyBuckets[bucket] = count
    })
    return {
      connections: judged(connections),
      delivered: received(connections),
      expected: judged(connections) * burst.total,
      wrongConnections,
      sameOrder,
      bytes,
      lastDeliveryMs: lastDelivery[0]!,
      latencyBuckets,
    }
  }

  function received(connections: number): number {
    let count = 0
    for (let index = 0; index < connections; index++) count += counts[index]!
    return count
  }

  function judged(connections: number): number {
    let count = 0
    for (let index = 0; index < connections; index++) if (ignored[index] === 0) count++
    return count
  }

  /** Resolves when everything has come or nothing more is to be expected before the deadline. */
  async function settled(connections: () => number, deadlineMs: number): Promise<void> {
    while (received(connections()) < judged(connections()) * burst.total && nowMs() < deadlineMs) {
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
  }
}
export type Tally = ReturnType<typeof createTally>
