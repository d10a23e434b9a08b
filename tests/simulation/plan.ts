import { createRandom } from '../faults/random.ts'
import type { Cut } from './redis-network.ts'

/** Something that happens to a life from outside. */
export interface Step {
  kind: 'say' | 'ask' | 'cut' | 'crash' | 'open' | 'backup' | 'restore' | 'sever' | 'restart' | 'wipe'
  atMs: number
  page?: number
  downMs?: number
  /** Somebody opens a client that speaks the specified events alone. */
  isPlain?: boolean
  node?: number
  /** Of a cut between a node and the log that it shares. */
  connections?: Cut['connections']
  isSilent?: boolean
  /** Of older content: it is a replica's, and Redis says so. */
  isPromoted?: boolean
}

export interface LifePlan {
  seed: number
  /** One server has its own log; several share one. */
  nodes: number
  pages: number
  retainedMessages: number
  /** Nothing happens from outside after it. */
  endMs: number
  steps: Step[]
}

/** Everything that will happen to a life, drawn before it begins. */
export function drawLife(seed: number): LifePlan {
  const random = createRandom(`plan ${seed}`)
  const endMs = random.whole(2_000, 20_000)
  const pages = random.whole(2, 4)
  const at = () => random.whole(0, endMs)
  const steps: Step[] = []
  const nodes = random.pick([1, 1, 1, 1, 2, 3])
  const draw = (kind: Step['kind'], count: number, more: () => Partial<Step> = () => ({})) => {
    for (let drawn = 0; drawn < count; drawn++) {
      const step = { kind, atMs: at(), page: random.whole(0, 7), node: random.whole(0, 5) }
      steps.push({ ...step, downMs: random.whole(0, 2_000), ...more() })
    }
  }
  draw('say', random.whole(5, 30))
  draw('cut', random.whole(0, 6))
  draw('ask', random.pick([0, 0, 0, 1, 3]))
  draw('crash', random.pick([0, 0, 1, 1, 2, 3]))
  draw('open', random.pick([0, 0, 1, 2]), () => ({ isPlain: random.chance(0.5) }))
  // A crowd of words at one moment: they are stored, and leave, together.
  const crowdAtMs = at()
  if (random.chance(0.5)) {
    for (let word = 0; word < random.whole(3, 12); word++) steps.push({ kind: 'say', atMs: crowdAtMs, page: word })
  }
  if (random.chance(0.15)) {
    const [backupMs, restoreMs] = [at(), at()]
    steps.push({ kind: 'backup', atMs: Math.min(backupMs, restoreMs) })
    const [downMs, isPromoted] = [random.whole(0, 2_000), random.chance(0.5)]
    steps.push({ kind: 'restore', atMs: Math.max(backupMs, restoreMs), downMs, isPromoted })
  }
  const retainedMessages = random.pick([100_000, 100_000, 100_000, 8, 3])
  if (nodes > 1) {
    draw('sever', random.pick([0, 1, 2, 3]), () => ({
      connections: random.pick(['reader', 'log', 'all']),
      isSilent: random.chance(0.5),
      downMs: random.whole(0, 6_000),
    }))
    draw('restart', random.pick([0, 0, 0, 1]))
    // Not twice: a log that was begun at 0 and is lost again looks like a new room (see `played-redis.ts`).
    if (!steps.some(({ kind }) => kind === 'restore')) draw('wipe', random.pick([0, 0, 0, 0, 0, 0, 0, 1]))
  }
  return { seed, nodes, pages, retainedMessages, endMs, steps: steps.toSorted((a, b) => a.atMs - b.atMs) }
}

/** The smallest plan that still fails: steps are left out as long as it does. */
export async function shorten(plan: LifePlan, fails: (plan: LifePlan) => Promise<boolean>): Promise<LifePlan> {
  let shortest = plan
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < shortest.steps.length;) {
      const fewer = { ...shortest, steps: shortest.steps.toSpliced(start, size) }
      if (await fails(fewer)) shortest = fewer
      else start += size
    }
  }
  return shortest
}
