import { checkHistories } from './checker.ts'
import { createClusterFaults } from './cluster-faults.ts'
import { drawClusterSchedule } from './cluster-schedule.ts'
import { createClusterSetup } from './cluster-setup.ts'
import { createFleet, type Fleet, clientCount } from './fleet.ts'
import { readHistories } from './history.ts'
import { createFaultInjector, type Tally } from './fault-injector.ts'
import { startModerator } from './moderator.ts'
import { startRestricting } from './restrict-clients.ts'
import { effectiveWithoutFaults } from './check-restrictions.ts'
import { drawSchedule } from './schedule.ts'
import { createServerFaults } from './server-faults.ts'
import { createServerSetup } from './server-setup.ts'
import type { CheckResult } from './violations.ts'

const progressEveryMs = 10_000
/**
 * Number of messages that the log keeps by default. A run of the usual length sends fewer, so the retention causes no
 * gap.
 */
const defaultRetainedMessages = 100_000

/** Time until all nodes apply a change of moderation when there is no fault. */
const maxReloadMs = 2_000
/**
 * Time until all nodes apply a change after a fault: a disconnected node loads it at the latest after its reload
 * interval.
 */
const maxLateReloadMs = 70_000

export interface RunOptions {
  seed: number
  seconds: number
  /** Whether the run uses stock Socket.IO instead of the server. */
  control?: boolean
  /** Number of messages that the log keeps. */
  retainedMessages?: number
  mutant?: string
  /** Number of nodes behind nginx with Redis and PostgreSQL; 0 runs a single server. */
  nodes?: number
  print?: (line: string) => void
}

export interface Outcome {
  result: CheckResult
  tally: Tally
  /** Number of messages that a moderator removed. */
  removed: number
  /** Number of acknowledged restrictions and rules, by kind. */
  restricted: Tally
  /** Time until the faults were over or the run failed. */
  seconds: number
  /** Reason why the run ended early or its clients did not receive the last message. */
  failure: string | null
  hasFailed: boolean
  /** Path of the histories of a failed run, relative to the project. */
  historiesPath: string | null
}

/**
 * Runs a real server, or a cluster, and its clients with the faults of the seed. Waits until all clients have received
 * the last message, and checks the histories.
 */
export async function runFaults({
  seed,
  seconds,
  control = false,
  retainedMessages = defaultRetainedMessages,
  mutant,
  nodes = 0,
  print = () => undefined,
}: RunOptions): Promise<Outcome> {
  await using resources = new AsyncDisposableStack()
  const plan = { seed, seconds, clients: clientCount, control, retainedMessages, nodes }
  const { setup, createInjector } = nodes > 0 ? await prepareCluster(plan) : await prepareServer(plan, mutant)
  const { port, histories } = setup
  resources.defer(() => setup.remove())
  const programs = resources.use(new AsyncDisposableStack())
  programs.defer(() => setup.close())
  const abort = new AbortController()
  const { signal } = abort
  await setup.start()
  const fleet = await createFleet({ seed, control, serverPort: port, folder: histories, signal })
  programs.defer(() => fleet.close())
  const injector = createInjector(fleet, signal)

  const startedAt = performance.now()
  const elapsedSeconds = () => Math.round((performance.now() - startedAt) / 1_000)
  let faultSeconds = 0
  let removed = 0
  let restricted: Tally = {}
  const progress = setInterval(() => {
    const faults = Object.values(injector.tally()).reduce((sum, count) => sum + count, 0)
    print(`${elapsedSeconds()} s: delivered ${fleet.deliveries()}, ${faults} faults`)
  }, progressEveryMs)

  /** Removes messages and restricts clients until the caller calls `stop`. */
  function moderate({ lastReceived: candidates, addresses: clients }: Fleet) {
    const { adminSockets, record } = setup
    const moderator = startModerator({ seed, adminSockets, candidates, record })
    const restricting = startRestricting({ seed, adminSockets, clients, record, signal })
    return {
      removedCount: moderator.removedCount,
      restricted: restricting.tally,
      stop: () => Promise.all([moderator.stop(), restricting.stop()]),
    }
  }

  async function execute(): Promise<void> {
    await fleet.waitUntilReady()
    fleet.startSending()
    const moderator = control ? null : moderate(fleet)
    try {
      await injector.run(seconds)
    } catch (error) {
      abort.abort()
      throw error
    } finally {
      await moderator?.stop()
    }
    removed = moderator?.removedCount() ?? 0
    restricted = moderator?.restricted() ?? {}
    faultSeconds = elapsedSeconds()
    for (const proxy of fleet.proxies) proxy.resume()
    print(`${faultSeconds} s: the faults are over`)
    await fleet.settle()
    if (control) return
    await fleet.comparePresence()
    await fleet.readLog(retainedMessages)
  }

  let failure: string | null = null
  const execution = execute()
  try {
    await Promise.race([execution, setup.crashed])
  } catch (error) {
    const unsettled = fleet.unsettled().join(', ') || 'none'
    failure = `${error instanceof Error ? error.message : String(error)} (unsettled: ${unsettled})`
  }
  if (failure !== null) faultSeconds = elapsedSeconds()
  // A failed run must not continue in the background of the next run.
  abort.abort()
  await Promise.allSettled([execution])
  clearInterval(progress)
  await programs.disposeAsync()

  const recorded = await readHistories(histories)
  const facts = {
    isShared: true,
    restrictionFacts: {
      isShared: true,
      effectiveAt: effectiveWithoutFaults(recorded, maxReloadMs),
      liftedAfterMs: maxLateReloadMs,
    },
  }
  const result = checkHistories(recorded, { retainedMessages, ...(nodes > 0 && facts) })
  const hasFailed = result.hasViolations || failure !== null
  const historiesPath = hasFailed
    ? await setup.saveHistories(`${control ? 'control-' : nodes > 0 ? 'cluster-' : ''}${seed}`)
    : null
  const tally = injector.tally()
  return { result, tally, removed, restricted, seconds: faultSeconds, failure, hasFailed, historiesPath }
}

interface Plan {
  seed: number
  seconds: number
  clients: number
  control: boolean
  retainedMessages: number
  nodes: number
}

async function prepareServer(plan: Plan, mutant: string | undefined) {
  const setup = await createServerSetup({ ...plan, ...(mutant !== undefined && { mutant }) })
  const createInjector = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createServerFaults(setup, fleet)
    return createFaultInjector({
      schedule: drawSchedule(plan),
      fleet,
      signal,
      serverTally: tally,
      onServer,
      recordFault: setup.recordFault,
    })
  }
  return { setup, createInjector }
}

async function prepareCluster(plan: Plan) {
  const setup = await createClusterSetup(plan.nodes, plan.retainedMessages)
  const createInjector = (fleet: Fleet, signal: AbortSignal) => {
    const { tally, onServer } = createClusterFaults(setup)
    const schedule = drawClusterSchedule(plan)
    return createFaultInjector({
      schedule,
      fleet,
      signal,
      serverTally: tally,
      onServer,
      recordFault: setup.recordFault,
    })
  }
  return { setup, createInjector }
}
