import { createRandom, type Random } from '../faults/random.ts'
import { clientRestrictions, type Restriction, ruleKinds } from '../faults/restrictions.ts'
import type { Cut } from './redis-network.ts'

/** Operation or fault at a given time. */
export interface Step {
  kind:
    | 'send'
    | 'resume'
    | 'cut'
    | 'crash'
    | 'open'
    | 'backup'
    | 'restore'
    | 'sever'
    | 'restart'
    | 'wipe'
    | 'jump'
    | 'remove'
    | 'restrict'
    | 'revoke'
    | 'pause'
  atMs: number
  page?: number
  downMs?: number
  /** Whether the client that `open` adds uses only the specified events. */
  isPlain?: boolean
  node?: number
  /** Restriction or rule of `restrict`. `page` selects the client of a mute or ban. */
  rule?: Restriction['rule']
  /** Connections of the node to Redis that `sever` cuts. */
  connections?: Cut['connections']
  /** Whether `sever` drops packets without notifying either side. */
  isSilent?: boolean
  /** Whether the older content of `restore` comes from a promoted replica, which Redis reports. */
  isPromoted?: boolean
  /**
   * Whether only the clients can prove the loss that `restore` causes: all nodes are stopped, or the head file is
   * restored too.
   */
  isCold?: boolean
}

export interface RunPlan {
  seed: number
  /** Number of nodes. A single server has its own log. Several nodes share one log. */
  nodes: number
  pages: number
  retainedMessages: number
  /** Whether the run has restrictions, rules, logins and revocations. */
  isModerated: boolean
  /** Time of the last possible step. */
  endMs: number
  steps: Step[]
}

const moderatedChance = 0.25

/** Draws all steps of a run from its seed. */
export function drawPlan(seed: number): RunPlan {
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
  draw('send', random.whole(5, 30))
  draw('cut', random.whole(0, 6))
  draw('resume', random.pick([0, 0, 0, 1, 3]))
  draw('crash', random.pick([0, 0, 1, 1, 2, 3]))
  draw('open', random.pick([0, 0, 1, 2]), () => ({ isPlain: random.chance(0.5) }))
  // A burst sends several messages at the same time, which the server can store and broadcast as one batch.
  const burstAtMs = at()
  if (random.chance(0.5)) {
    for (let index = 0; index < random.whole(3, 12); index++) steps.push({ kind: 'send', atMs: burstAtMs, page: index })
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
    // Lose the log only once: after a second loss a page may receive messages from before it was opened.
    if (!steps.some(({ kind }) => kind === 'restore')) draw('wipe', random.pick([0, 0, 0, 0, 0, 0, 0, 1]))
  }
  // The rare steps have their own generator, so that the other steps of a seed stay the same.
  const rare = createRandom(`continuity ${seed}`)
  for (const step of steps) if (step.kind === 'restore') step.isCold = rare.chance(0.5)
  const jumpAtMs = rare.whole(0, endMs)
  if (nodes > 1 && rare.chance(0.2)) steps.push({ kind: 'jump', atMs: jumpAtMs, downMs: rare.whole(0, 5_000) })
  const pauseAtMs = rare.whole(0, endMs)
  if (nodes > 1 && rare.chance(0.3))
    steps.push({ kind: 'pause', atMs: pauseAtMs, node: rare.whole(0, 5), downMs: rare.whole(0, 8_000) })
  // Removals have their own generator, so that the other steps of a seed stay the same. `page` selects the message.
  const moderation = createRandom(`removals ${seed}`)
  if (moderation.chance(0.4)) {
    for (let count = moderation.whole(1, 8); count > 0; count--)
      steps.push({ kind: 'remove', atMs: moderation.whole(0, endMs), page: moderation.whole(0, 99), node: count })
  }
  const restrictions = createRandom(`restrictions ${seed}`)
  const isModerated = restrictions.chance(moderatedChance)
  if (isModerated) steps.push(...drawRestrictions(restrictions, endMs))
  const sorted = steps.toSorted((a, b) => a.atMs - b.atMs)
  return { seed, nodes, pages, retainedMessages, isModerated, endMs, steps: sorted }
}

/** Draws mutes and bans of clients, revocations of logins, and rules of the room. Each rule occurs at most once. */
function drawRestrictions(random: Random, endMs: number): Step[] {
  const rules: Restriction['rule'][] = random.shuffle(ruleKinds).slice(0, random.whole(0, 2))
  for (let count = random.whole(1, 3); count > 0; count--) rules.push(random.pick(clientRestrictions))
  const draw = () => ({ atMs: random.whole(0, endMs), page: random.whole(0, 7), node: random.whole(0, 5) })
  const restricts = rules.map((rule): Step => ({ kind: 'restrict', rule, ...draw(), downMs: random.whole(0, 6_000) }))
  const revocations = Array.from({ length: random.whole(0, 2) }, (): Step => ({ kind: 'revoke', ...draw() }))
  return [...restricts, ...revocations]
}

/** Removes steps from a failing plan as long as it still fails. Returns the smallest plan found. */
export async function shrink(plan: RunPlan, fails: (plan: RunPlan) => Promise<boolean>): Promise<RunPlan> {
  let smallest = plan
  for (let size = Math.ceil(plan.steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < smallest.steps.length;) {
      const candidate = { ...smallest, steps: smallest.steps.toSpliced(start, size) }
      if (await fails(candidate)) smallest = candidate
      else start += size
    }
  }
  return smallest
}
