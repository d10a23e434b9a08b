import { checkHistories } from './checker.ts'
import { createClusterFaults } from './cluster-faults.ts'
import { drawClusterSchedule } from './cluster-schedule.ts'
import { createClusterSetup } from './cluster-setup.ts'
import { createFleet, type Fleet, clientCount } from './fleet.ts'
import { readHistories } from './history.ts'
import { createFaultInjector, type Tally } from './fault-injector.ts'
import { drawSchedule } from './schedule.ts'
import { createServerFaults } from './server-faults.ts'
import { createServerSetup } from './server-setup.ts'
import type { CheckResult } from './violations.ts'

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
  print?: (line: string) => void
}

export interface Outcome {
  result: CheckResult
  tally: Tally
  /** From the first message to the last fault. */
  seconds: number
  /** Why the run ended before its time, or did not come to rest. */
  failure: string | null
  hasFailed: boolean
  /** Where the histories of a hasViolations run are, relative to the project. */
  historiesPath: string | null
}

/** One run: a real server, its clients, the faults of the seed; then rest, and the checker. */
export async function runFaults({
  seed,
  seconds,
  control = false,
  retainedMessages = defaultRetainedMessages,
  mutant,
  nodes = 0,
  print = () => undefined,
}: RunOptions): Promise<Outcome> {
  const plan = { seed, seconds, clients: clientCount, control, retainedMessages, nodes }
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
    print(`${elapsedSeconds()} s: delivered ${fleet.deliveries()}, ${faults} faults`)
  }, progressEveryMs)

  async function story(): Promise<void> {
    await fleet.waitUntilReady()
    fleet.startSending()
    await nemesis.run(seconds)
    took = elapsedSeconds()
    for (const proxy of fleet.proxies) proxy.resume()
    print(`${took} s: the faults are over`)
    await fleet.settle()
    if (control) return
    await fleet.comparePresence()
    await fleet.readLog(retainedMessages)
  }

  let failure: string | null = null
  const told = story()
  try {
    await Promise.race([told, stage.crashed])
  } catch (error) {
    const unsettled = fleet.unsettled().join(', ') || 'nobody'
    failure = `${error instanceof Error ? error.message : String(error)} (unsettled: ${unsettled})`
  }
  if (failure !== null) took = elapsedSeconds()
  // A run that failure must not go on in the background of the next one.
  ending.abort()
  await Promise.allSettled([told])
  clearInterval(progress)
  await fleet.close()
  await stage.close()

  const result = checkHistories(await readHistories(histories), { retainedMessages })
  const hasFailed = result.hasViolations || failure !== null
  const historiesPath = hasFailed
    ? await stage.saveHistories(`${control ? 'control-' : nodes > 0 ? 'cluster-' : ''}${seed}`)
    : null
  await stage.remove()
  return { result, tally: nemesis.tally(), seconds: took, failure, hasFailed, historiesPath }
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
  const stage = await createServerSetup({ ...plan, ...(mutant !== undefined && { mutant }) })
  const nemesisFor = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createServerFaults(stage, fleet)
    return createFaultInjector({
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
  const stage = await createClusterSetup(plan.nodes, plan.retainedMessages)
  const nemesisFor = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createClusterFaults(stage)
    const schedule = drawClusterSchedule(plan)
    return createFaultInjector({ schedule, fleet, signal, serverTally: tally, onServer, disturb: stage.disturb })
  }
  return { stage, nemesisFor }
}
