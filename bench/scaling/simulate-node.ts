import { pingIntervalMs } from '../../contract/limits.ts'
import { flushWindowMs, maxPauseMs } from '../../server/room/send/flush-scheduler.ts'
import { costs } from './costs.ts'

export interface NodeLoad {
  pages: number
  messagesPerSecond: number
  seconds: number
  seed: number
  /** Minimum time between two flushes. Default: the value of the server. */
  windowMs?: number
}

export interface NodeOutcome {
  /** Share of one core that the node uses. */
  busyShare: number
  cpuPerDeliveryUs: number
  flushesPerSecond: number
  p50Ms: number
  p99Ms: number
}

/** Number of clients whose latency the simulation samples in each flush, evenly spread over the write order. */
const sampledClients = 10

/**
 * Simulates one node flush by flush: messages arrive at random times and wait for the next flush, which writes to all
 * pages in turn. Flush times follow `server/room/send/flush-scheduler.ts`.
 */
export function simulateNode({
  pages,
  messagesPerSecond,
  seconds,
  seed,
  windowMs = flushWindowMs,
}: NodeLoad): NodeOutcome {
  const random = createRandom(seed)
  const endMs = seconds * 1_000
  const latencies: number[] = []
  let [nextArrivalMs, notBeforeMs, flushes, messages, writingMs] = [0, 0, 0, 0, 0]
  const arrive = () => (nextArrivalMs += (-Math.log(1 - random()) * 1_000) / messagesPerSecond)
  arrive()
  while (nextArrivalMs < endMs) {
    const flushMs = Math.max(nextArrivalMs, notBeforeMs)
    const arrivals: number[] = []
    while (nextArrivalMs <= flushMs) {
      arrivals.push(nextArrivalMs)
      arrive()
    }
    const flushDurationMs = (pages * (costs.writeUs + arrivals.length * costs.messageInWriteUs)) / 1_000
    const firstWriteMs = flushMs + costs.storeMs
    for (let client = 0; client < sampledClients; client++) {
      const writtenMs = firstWriteMs + (flushDurationMs * (client + 0.5)) / sampledClients
      for (const arrivedMs of arrivals) latencies.push(writtenMs - arrivedMs)
    }
    notBeforeMs = Math.max(flushMs + windowMs, firstWriteMs + flushDurationMs + Math.min(flushDurationMs, maxPauseMs))
    flushes += 1
    messages += arrivals.length
    writingMs += flushDurationMs + (pages * costs.afterWriteUs) / 1_000
  }
  latencies.sort((a, b) => a - b)
  const pingShare = (pages * 2 * costs.pingUs) / 1_000 / pingIntervalMs
  return {
    busyShare: writingMs / endMs + pingShare,
    cpuPerDeliveryUs: (writingMs * 1_000) / (messages * pages),
    flushesPerSecond: flushes / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
  }
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0

/** Returns a seeded random number generator (mulberry32), so that results are reproducible. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
