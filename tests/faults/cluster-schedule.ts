import { createRandom } from './random.ts'
import { drawLinkActions, drawPageActions, type Rested, type Schedule } from './schedule.ts'

export type ClusterAction =
  | { kind: 'kill node' | 'stop node' | 'isolate node' | 'disconnect node'; node: number; forMs: number }
  | { kind: 'drain node'; node: number }
  | { kind: 'kill redis' | 'stop redis' | 'kill postgres' | 'stop postgres'; forMs: number }
  | { kind: 'restart nginx' | 'back up redis' | 'restore redis' | 'wipe redis' | 'flush redis' }

/** Kinds of faults. The schedule draws them in shuffled rounds, in which each kind occurs once. */
const clusterKinds = [
  'kill node',
  'stop node',
  'drain node',
  /** The proxy stalls the connections between the node and Redis. */
  'isolate node',
  /** The proxy resets the connections of the node to Redis and rejects new connections. */
  'disconnect node',
  'kill redis',
  'stop redis',
  'kill postgres',
  'stop postgres',
  'restart nginx',
] as const satisfies readonly ClusterAction['kind'][]

/**
 * Approximate duration of some actions without `forMs`. The schedule plans the other actions like actions with `forMs`.
 */
const typicalMs = { 'drain node': 5_000, 'restart nginx': 1_000, 'restore redis': 1_500, 'wipe redis': 1_500 } as const
const startMs = 1_500

interface Plan {
  seed: number
  seconds: number
  clients: number
  nodes: number
}

/** Draws the faults of a cluster run. The same seed gives the same schedule. */
export function drawClusterSchedule({ seed, seconds, clients, nodes }: Plan): Schedule<ClusterAction> {
  const random = createRandom(`cluster ${seed}`)
  const endMs = seconds * 1_000
  const nextKind = random.drawFrom([...clusterKinds])
  const server: Rested<ClusterAction>[] = []
  // The final log starts at the last of these restores. The restores come early, so that the final log covers about
  // two thirds of the run.
  const restores: [number, ClusterAction['kind']][] = [
    [0.1, 'back up redis'],
    [0.2, random.chance(0.5) ? 'wipe redis' : 'flush redis'],
    [0.25, 'back up redis'],
    [0.35, 'restore redis'],
  ]
  for (let plannedMs = 0; plannedMs < endMs;) {
    const restMs = random.whole(800, 2_200)
    const due = restores[0] !== undefined && restores[0][0] * endMs <= plannedMs ? restores.shift() : undefined
    const kind = due?.[1] ?? nextKind()
    const node = random.whole(0, nodes - 1)
    const forMs = random.chance(0.7) ? random.whole(300, 3_500) : random.whole(3_500, 9_000)
    server.push({ restMs, ...actionOf(kind, node, forMs) })
    plannedMs += restMs + (kind in typicalMs ? typicalMs[kind as keyof typeof typicalMs] : forMs + startMs)
  }
  return { server, links: drawLinkActions(random, endMs, clients), pages: drawPageActions(random, endMs) }
}

function actionOf(kind: ClusterAction['kind'], node: number, forMs: number): ClusterAction {
  switch (kind) {
    case 'drain node':
      return { kind, node }
    case 'kill node':
    case 'stop node':
    case 'isolate node':
    case 'disconnect node':
      return { kind, node, forMs }
    case 'kill redis':
    case 'stop redis':
    case 'kill postgres':
    case 'stop postgres':
      return { kind, forMs }
    default:
      return { kind }
  }
}
