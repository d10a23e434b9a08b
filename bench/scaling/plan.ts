import { flushWindowMs } from '../../server/room/send/flush-scheduler.ts'
import { costs } from './costs.ts'
import { type NodeOutcome, simulateNode } from './simulate-node.ts'

export interface RoomRequirements {
  pages: number
  messagesPerSecond: number
  averageStayMinutes: number
  p99Ms: number
  /** Maximum CPU share of a node. The rest is the reserve for the load of a failed node. */
  maxBusyShare: number
  windowMs?: number
}

export interface Plan {
  pagesPerNode: number
  nodes: number
  node: NodeOutcome
  /** Outgoing message traffic of a node. */
  nodeMessageBytesPerSecond: number
  /** Size of the full presence list that a page receives when it connects. */
  listBytes: number
  /** Bytes per second of presence deltas that each page receives. */
  pageDeltaBytesPerSecond: number
  nodePresenceBytesPerSecond: number
  /** Memory of a node for the presence ids of all nodes. */
  rosterBytes: number
  redisReadsPerSecond: number
  /** CPU share of the single core of Redis. */
  redisBusyShare: number
  redisBytesPerSecond: number
}

const pageStep = 100

/** Returns the number of nodes for a room and the resulting load on nodes and Redis. */
export function planRoom(requirements: RoomRequirements): Plan {
  const { pages, messagesPerSecond, averageStayMinutes, windowMs = flushWindowMs } = requirements
  const pagesPerNode = largestNode(requirements)
  const nodes = Math.ceil(pages / pagesPerNode)
  const node = simulate(requirements, Math.ceil(pages / nodes))
  const ids = 2 * pages
  const changesPerSecond = (2 * ids) / (averageStayMinutes * 60)
  const pageDeltaBytesPerSecond = changesPerSecond * costs.presenceIdBytes
  // Each node reads at most once per window and at most once per message.
  const readsPerNode = Math.min(messagesPerSecond, 1_000 / windowMs)
  const redisReadsPerSecond = nodes * readsPerNode
  return {
    pagesPerNode,
    nodes,
    node,
    nodeMessageBytesPerSecond: (pages / nodes) * messagesPerSecond * costs.messageBytes,
    listBytes: ids * costs.presenceIdBytes,
    pageDeltaBytesPerSecond,
    nodePresenceBytesPerSecond: (pages / nodes) * pageDeltaBytesPerSecond,
    rosterBytes: ids * costs.rosterIdBytes,
    redisReadsPerSecond,
    redisBusyShare: (messagesPerSecond * costs.redisAppendUs + redisReadsPerSecond * costs.redisReadUs) / 1e6,
    redisBytesPerSecond: nodes * messagesPerSecond * costs.messageBytes,
  }
}

function simulate({ messagesPerSecond, windowMs = flushWindowMs }: RoomRequirements, pages: number): NodeOutcome {
  return simulateNode({ pages, messagesPerSecond, windowMs, seconds: 6, seed: 1 })
}

/**
 * Returns the maximum number of pages, in steps of `pageStep`, at which a node meets the latency and CPU requirements.
 */
function largestNode(requirements: RoomRequirements): number {
  const fits = (pages: number) => {
    const node = simulate(requirements, pages)
    return node.p99Ms <= requirements.p99Ms && node.busyShare <= requirements.maxBusyShare
  }
  let [low, high] = [1, 1_000]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (fits(middle * pageStep)) low = middle
    else high = middle
  }
  return low * pageStep
}
