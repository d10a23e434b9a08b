import { flushWindowMs } from '../../server/room/send/flush-scheduler.ts'
import { costs } from './costs.ts'
import { type NodeOutcome, simulateNode } from './simulate-node.ts'

export interface Wanted {
  pages: number
  messagesPerSecond: number
  /** How long a page stays, on average. */
  stayMinutes: number
  p99Ms: number
  /** A node that is busier than this has nothing left for a neighbour that has died. */
  mostBusy: number
  windowMs?: number
}

export interface Plan {
  pagesPerNode: number
  nodes: number
  node: NodeOutcome
  /** What leaves a node for messages, in bytes a second. */
  nodeMessageBytes: number
  /** The list that a page gets when it comes, if every id is in it. */
  listBytes: number
  /** What each page gets of comings and goings, in bytes a second. */
  deltaBytesPerPage: number
  nodePresenceBytes: number
  /** Ids of all other nodes, in the memory of each. */
  rosterBytes: number
  redisReadsPerSecond: number
  /** Share of the one core that Redis has. */
  redisBusy: number
  redisBytes: number
}

const step = 100

/** How many nodes a room of so many pages takes, and what it asks of everything else. */
export function planRoom(wanted: Wanted): Plan {
  const { pages, messagesPerSecond, stayMinutes, windowMs = flushWindowMs } = wanted
  const pagesPerNode = largestNode(wanted)
  const nodes = Math.ceil(pages / pagesPerNode)
  const node = simulate(wanted, Math.ceil(pages / nodes))
  const ids = 2 * pages
  const changesPerSecond = (2 * ids) / (stayMinutes * 60)
  const deltaBytesPerPage = changesPerSecond * costs.presenceIdBytes
  // Every node reads what is new, at most once per window, and never more often than there is something new.
  const readsPerNode = Math.min(messagesPerSecond, 1_000 / windowMs)
  const redisReadsPerSecond = nodes * readsPerNode
  return {
    pagesPerNode,
    nodes,
    node,
    nodeMessageBytes: (pages / nodes) * messagesPerSecond * costs.messageBytes,
    listBytes: ids * costs.presenceIdBytes,
    deltaBytesPerPage,
    nodePresenceBytes: (pages / nodes) * deltaBytesPerPage,
    rosterBytes: ids * costs.rosterIdBytes,
    redisReadsPerSecond,
    redisBusy: (messagesPerSecond * costs.redisAppendUs + redisReadsPerSecond * costs.redisReadUs) / 1e6,
    redisBytes: nodes * messagesPerSecond * costs.messageBytes,
  }
}

function simulate({ messagesPerSecond, windowMs = flushWindowMs }: Wanted, pages: number): NodeOutcome {
  return simulateNode({ pages, messagesPerSecond, windowMs, seconds: 6, seed: 1 })
}

/** The most pages with which one node keeps to its latency and its share of the core. */
function largestNode(wanted: Wanted): number {
  const fits = (pages: number) => {
    const node = simulate(wanted, pages)
    return node.p99Ms <= wanted.p99Ms && node.busy <= wanted.mostBusy
  }
  let [low, high] = [1, 1_000]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (fits(middle * step)) low = middle
    else high = middle
  }
  return low * step
}
