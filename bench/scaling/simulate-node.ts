import { pingIntervalMs } from '../../contract/limits.ts'
import { flushWindowMs, maxPauseMs } from '../../server/room/send/flush-scheduler.ts'
import { costs } from './costs.ts'

export interface NodeLoad {
  pages: number
  messagesPerSecond: number
  seconds: number
  seed: number
  /** Between two flushes; the server's own unless told. */
  windowMs?: number
}

export interface NodeOutcome {
  /** Share of one core. */
  busy: number
  cpuPerDeliveryUs: number
  flushesPerSecond: number
  p50Ms: number
  p99Ms: number
}

/** Of each flush these many readers, evenly spread over the order in which they are written to. */
const sampledReaders = 10

/**
 * One node of a room, flush by flush: messages come at random, wait for the next flush, and each flush writes to every
 * page in turn. The rule is the one of `server/room/send/flush-scheduler.ts`.
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
    const heldMs = (pages * (costs.writeUs + arrivals.length * costs.messageInWriteUs)) / 1_000
    const firstWriteMs = flushMs + costs.storeMs
    for (let reader = 0; reader < sampledReaders; reader++) {
      const writtenMs = firstWriteMs + (heldMs * (reader + 0.5)) / sampledReaders
      for (const arrivedMs of arrivals) latencies.push(writtenMs - arrivedMs)
    }
    notBeforeMs = Math.max(flushMs + windowMs, firstWriteMs + heldMs + Math.min(heldMs, maxPauseMs))
    flushes += 1
    messages += arrivals.length
    writingMs += heldMs + (pages * costs.afterWriteUs) / 1_000
  }
  latencies.sort((a, b) => a - b)
  const pingShare = (pages * 2 * costs.pingUs) / 1_000 / pingIntervalMs
  return {
    busy: writingMs / endMs + pingShare,
    cpuPerDeliveryUs: (writingMs * 1_000) / (messages * pages),
    flushesPerSecond: flushes / seconds,
    p50Ms: at(latencies, 0.5),
    p99Ms: at(latencies, 0.99),
  }
}

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0

/** The same seed gives the same talk (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
