import { nowMs } from './clock.ts'

/** Open-loop burst: message `firstId + i` is due at `startAtMs + i * intervalMs`, independent of earlier messages. */
export interface Burst {
  firstId: number
  total: number
  startAtMs: number
  intervalMs: number
}

export interface DeliveryReport {
  connections: number
  delivered: number
  expected: number
  /** Number of connections that did not receive every message exactly once. */
  incorrectConnections: number
  /** True if all connections received the same messages in the same order. */
  isSameOrder: boolean
  bytes: number
  lastDeliveryMs: number
  latencyBuckets: Record<string, number>
}

export const bucketMs = 0.1
const bucketsPerMs = 1 / bucketMs
const bucketCount = 100_000

/**
 * Counts the deliveries of a burst. Keeps the count, the sum of the ids and a hash of their order per connection. A
 * lost, duplicate or unknown message changes at least one of these values. Also records the latency of every delivery.
 */
export function createDeliveryCounter(capacity: number) {
  const counts = new Int32Array(capacity)
  const sums = new Float64Array(capacity)
  const orders = new Int32Array(capacity)
  const buckets = new Uint32Array(bucketCount)
  const ignored = new Uint8Array(capacity)
  // A typed array changes in place; a plain variable would allocate a heap number for every delivery.
  const lastDelivery = new Float64Array(1)
  let burst: Burst = { firstId: 0, total: 0, startAtMs: 0, intervalMs: 1 }
  let bucketsPerMessage = 0
  let bytes = 0

  function start(next: Burst): void {
    burst = next
    bucketsPerMessage = next.intervalMs / bucketMs
    counts.fill(0)
    sums.fill(0)
    orders.fill(0)
    buckets.fill(0)
    lastDelivery.fill(0)
    bytes = 0
  }

  /**
   * Counts a delivery, unless its burst is over or its connection is ignored. `atMs` is the time at which the
   * connection read the chunk with the message.
   */
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

  /** Counts a delivery without an id. The counter assigns ids in the order of arrival. */
  function addNext(connection: number, atMs: number): void {
    add(connection, burst.firstId + counts[connection]!, atMs)
  }

  function report(connections: number): DeliveryReport {
    const expectedSum = (burst.total * (burst.total - 1)) / 2
    let incorrectConnections = 0
    let order: number | undefined
    let isSameOrder = true
    for (let index = 0; index < connections; index++) {
      if (ignored[index] === 1) continue
      if (counts[index] !== burst.total || sums[index] !== expectedSum) incorrectConnections++
      order ??= orders[index]!
      if (orders[index] !== order) isSameOrder = false
    }
    const latencyBuckets: Record<string, number> = {}
    buckets.forEach((count, bucket) => {
      if (count > 0) latencyBuckets[bucket] = count
    })
    return {
      connections: countedConnections(connections),
      delivered: receivedCount(connections),
      expected: countedConnections(connections) * burst.total,
      incorrectConnections,
      isSameOrder,
      bytes,
      lastDeliveryMs: lastDelivery[0]!,
      latencyBuckets,
    }
  }

  function receivedCount(connections: number): number {
    let count = 0
    for (let index = 0; index < connections; index++) count += counts[index]!
    return count
  }

  function countedConnections(connections: number): number {
    let count = 0
    for (let index = 0; index < connections; index++) if (ignored[index] === 0) count++
    return count
  }

  /** Resolves when all deliveries have arrived, or at the deadline. */
  async function waitForAll(connections: () => number, deadlineMs: number): Promise<void> {
    while (receivedCount(connections()) < countedConnections(connections()) * burst.total && nowMs() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  return {
    start,
    add,
    addNext,
    addBytes: (count: number) => {
      bytes += count
    },
    ignore: (connection: number, isIgnored: boolean) => {
      ignored[connection] = isIgnored ? 1 : 0
    },
    report,
    waitForAll,
  }
}
export type DeliveryCounter = ReturnType<typeof createDeliveryCounter>
