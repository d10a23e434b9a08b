import { checkHistories } from './checker.ts'
import { createClusterFaults } from './cluster-faults.ts'
import { drawClusterSchedule } from './cluster-schedule.ts'
import { setClusterStage } from './cluster-stage.ts'
import { createFleet, type Fleet, rosterSize } from './fleet.ts'
import { readHistories } from './history.ts'
import { createNemesis, type Tally } from './nemesis.ts'
import { drawSchedule } from './schedule.ts'
import { createServerFaults } from './server-faults.ts'
import { setStage } from './stage.ts'
import type { Verdict } from './verdict.ts'

const progressEveryMs = 10_000
/** The server's default: no run comes near it, so the log can bridge every absence. */
const defaultRetainedMessages = 100_000

export interface RunOptions {
  seed: number
  seconds: number
  /** Against stock Socket.IO instead of our server. */
  control?: boolean
  /** How many messages the log keeps. */
  retainedMessages?: number
  mutant?: string
  /** Against so many nodes behind nginx, on Redis and PostgreSQL, instead of one server by itself. */
  nodes?: number
  say?: (line: string) => void
}

export interface Outcome {
  verdict: Verdict
  tally: Tally
  /** From the first message to the last fault. */
  seconds: number
  /** Why the run ended before its time, or did not come to rest. */
  broke: string | null
  guilty: boolean
  /** Where the histories of a guilty run are, relative to the project. */
  kept: string | null
}

/** One run: a real server, its clients, the faults of the seed; then rest, and the checker. */
export async function runFaults({
  seed,
  seconds,
  control = false,
  retainedMessages = defaultRetainedMessages,
  mutant,
  nodes = 0,
  say = () => undefined,
}: RunOptions): Promise<Outcome> {
  const plan = { seed, seconds, clients: rosterSize, control, retainedMessages, nodes }
  const { stage, nemesisFor } = nodes > 0 ? await stageCluster(plan) : await stageServer(plan, mutant)
  const { port, histories } = stage
  const ending = new AbortController()
  const { signal } = ending
  await stage.start()
  const fleet = await createFleet({ seed, control, serverPort: port, folder: histories, signal })
  const nemesis = nemesisFor(fleet, signal)

  const startedAt = performance.now()
  const elapsedSeconds = () => Math.round((performance.now() - startedAt) / 1_000)
  let took = 0
  const progress = setInterval(() => {
    const faults = Object.values(nemesis.tally()).reduce((sum, count) => sum + count, 0)
    say(`${elapsedSeconds()} s: delivered ${fleet.deliveries()}, ${faults} faults`)
  }, progressEveryMs)

  async function story(): Promise<void> {
    await fleet.everyoneReady()
    fleet.startSending()
    await nemesis.run(seconds)
    took = elapsedSeconds()
    for (const proxy of fleet.proxies) proxy.resume()
    say(`${took} s: the faults are over`)
    await fleet.settle()
    if (control) return
    await fleet.comparePresence()
    await fleet.readLog(retainedMessages)
  }

  let broke: string | null = null
  const told = story()
  try {
    await Promise.race([told, stage.crashed])
  } catch (error) {
    const unsettled = fleet.unsettled().join(', ') || 'nobody'
    broke = `${error instanceof Error ? error.message : String(error)} (unsettled: ${unsettled})`
  }
  if (broke !== null) took = elapsedSeconds()
  // A run that broke must not go on in the background of the next one.
  ending.abort()
  await Promise.allSettled([told])
  clearInterval(progress)
  await fleet.close()
  await stage.close()

  const verdict = checkHistories(await readHistories(histories), { retainedMessages })
  const guilty = verdict.guilty || broke !== null
  const kept = guilty ? await stage.keep(`${control ? 'control-' : nodes > 0 ? 'cluster-' : ''}${seed}`) : null
  await stage.clear()
  return { verdict, tally: nemesis.tally(), seconds: took, broke, guilty, kept }
}

interface Plan {
  seed: number
  seconds: number
  clients: number
  control: boolean
  retainedMessages: number
  nodes: number
}

async function stageServer(plan: Plan, mutant: string | undefined) {
  const stage = await setStage({ ...plan, ...(mutant !== undefined && { mutant }) })
  const nemesisFor = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createServerFaults(stage, fleet)
    return createNemesis({
      schedule: drawSchedule(plan),
      fleet,
      signal,
      serverTally: tally,
      onServer,
      disturb: stage.disturb,
    })
  }
  return { stage, nemesisFor }
}

async function stageCluster(plan: Plan) {
  const stage = await setClusterStage(plan.nodes, plan.retainedMessages)
  const nemesisFor = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createClusterFaults(stage)
    const schedule = drawClusterSchedule(plan)
    return createNemesis({ schedule, fleet, signal, serverTally: tally, onServer, disturb: stage.disturb })
  }
  return { stage, nemesisFor }
}
