import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkHistories } from '../faults/checker.ts'
import type { HistoryEvent, History } from '../faults/history.ts'
import { createRandom, type Random } from '../faults/random.ts'
import type { CheckResult } from '../faults/violations.ts'
import { hashToken } from '../../server/accounts/sessions/tokens.ts'
import type { RestrictionFacts } from '../faults/check-restrictions.ts'
import { textOf } from '../faults/restrictions.ts'
import { createFakeDatabase } from './fake-database.ts'
import { createSimulatedModerator } from './simulated-moderator.ts'
import { installTime } from './install-time.ts'
import type { RunPlan, Step } from './plan.ts'
import { createClusterDeployment } from './cluster-deployment.ts'
import { createSimulatedPage, type SimulatedPage } from './simulated-page.ts'
import { createSimulatedPlainClient } from './simulated-plain-client.ts'
import { createSingleServerDeployment } from './single-server-deployment.ts'
import { createVirtualTime } from './virtual-time.ts'

export interface RunOutcome {
  result: CheckResult
  /**
   * Names of the clients that still waited for a cursor or an acknowledgement when the run timed out; `null` if it
   * ended in time. There may be no names, for example if a client only lacks the last message.
   */
  failure: string | null
  histories: History[]
  virtualMs: number
}

const settleTimeoutMs = 120_000
/** Time in which a message that was rejected as `unavailable` may still be stored. */
const lateStoreMs = 8_000
const pollIntervalMs = 100
const lastMessageTimeoutMs = 5_000
/** Time to wait after the last message, so that clients also receive a removal that a lagging node reads later. */
const removalTimeoutMs = 2_000

/** Time until all connected nodes have loaded a change. A link may pause for 4 s. */
const maxReloadMs = 6_000
/**
 * Time until all nodes have loaded a change after a disturbance: a disconnected node loads it at the latest after its
 * reload interval.
 */
const maxLateReloadMs = 70_000
/** Steps after which a node may load a change late. */
const disturbances: Step['kind'][] = ['sever', 'pause', 'restart', 'restore', 'wipe']

/** Time until a single server has loaded its own change. The server repeats a failed reload after 500 ms. */
const maxOwnReloadMs = 2_000

function restrictionFactsOf({ nodes, steps }: RunPlan): RestrictionFacts {
  const reloadMs = nodes === 1 ? maxOwnReloadMs : maxReloadMs
  const isDisturbed = nodes > 1 && steps.some(({ kind }) => disturbances.includes(kind))
  const effectiveAfterMs = isDisturbed ? Infinity : reloadMs
  return {
    isShared: nodes > 1,
    effectiveAt: (ackedAt) => ackedAt + effectiveAfterMs,
    liftedAfterMs: isDisturbed ? maxLateReloadMs : reloadMs,
  }
}

/** Runs a simulated room and its clients. The same plan gives the same run. */
export async function runPlan(plan: RunPlan): Promise<RunOutcome> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'chat-simulation-'))
  // The tests rely on the runs of certain seeds, which depend on this text.
  const random = createRandom(`life ${plan.seed}`)
  const time = createVirtualTime(random)
  const restoreTime = installTime(time)
  try {
    return await runInFolder(folder, plan, random, time)
  } finally {
    restoreTime()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runInFolder(
  folder: string,
  plan: RunPlan,
  random: Random,
  time: ReturnType<typeof createVirtualTime>,
): Promise<RunOutcome> {
  const histories: History[] = []
  const pages: SimulatedPage[] = []

  function createRecorder(name: string): (event: HistoryEvent) => void {
    const history: History = { name, events: [] }
    histories.push(history)
    return (event) => history.events.push({ at: time.nowMs(), ...event })
  }
  const recordServerEvent = createRecorder('server')
  recordServerEvent({ type: 'opened', role: 'server' })
  // The simulated network has arbitrary delays. A permanent fault disables the checks of latency.
  recordServerEvent({ type: 'fault', isActive: true })

  const createDeployment = plan.nodes === 1 ? createSingleServerDeployment : createClusterDeployment
  const database = plan.isModerated ? createFakeDatabase(time, random) : null
  const deployment = createDeployment({ folder, plan, time, random, database, recordServerEvent })
  const serverOf = (node: number) => deployment.serverOf(node)
  const moderator = database && createSimulatedModerator({ time, database, serverOf, record: recordServerEvent })

  function open(isPlain: boolean): void {
    const name = `${isPlain ? 'plain' : 'page'}-${pages.length + 1}`
    const create = isPlain ? createSimulatedPlainClient : createSimulatedPage
    // In a run with moderation, each client has its own network. Every second client is logged in, unless it is plain.
    const network = `192.0.2.${database === null ? 1 : pages.length + 1}`
    const token = database === null || isPlain || pages.length % 2 === 0 ? null : `token of ${name}`
    if (token !== null) database?.addToken(hashToken(token), { id: `account of ${name}`, name })
    pages.push(create({ name, network, token, time, random, room: deployment.room, record: createRecorder(name) }))
  }

  function apply(step: Step): void {
    const { kind, page = 0 } = step
    const client = pages[page % pages.length]
    if (kind === 'send') client?.sendText(textToSend(step))
    else if (kind === 'cut') client?.cut()
    else if (kind === 'resume') client?.resume()
    else if (kind === 'open') open(step.isPlain ?? false)
    else if (kind === 'restrict' || kind === 'revoke') moderate(step)
    else deployment.apply(step)
  }

  function textToSend({ atMs }: Step): string {
    const filler = 'x'.repeat(random.whole(0, 20))
    return plan.isModerated ? textOf(filler, atMs) : filler
  }

  /** Restricts a client that was never logged in, or revokes the login of another client. */
  function moderate({ kind, rule = 'mute', page = 0, node = 0, downMs: durationMs = 0 }: Step): void {
    const anonymous = pages.filter(({ isAnonymous }) => isAnonymous)
    const target = anonymous[page % anonymous.length]
    const token = pages.filter(({ isAnonymous }) => !isAnonymous)[page % 2]?.token() ?? null
    if (kind === 'restrict' && target !== undefined) void moderator?.restrict({ rule, target, node, durationMs })
    if (kind === 'revoke' && token !== null) void moderator?.revoke(token, node)
  }

  for (let opened = 0; opened < plan.pages; opened++) open(false)
  for (const step of plan.steps) time.after(step.atMs, () => apply(step))

  // All clients are at the head when all of them have received the last message.
  let lastMessage: { key: string; atMs: number } | null = null
  let receivedAtMs: number | null = null
  const isSettled = () => deployment.isUp() && moderator?.isIdle() !== false && pages.every((page) => page.isSettled())
  const isOver = () => {
    if (time.nowMs() <= plan.endMs + lateStoreMs || !isSettled()) return false
    // Send another last message if the previous one did not reach all clients. A client may have got a gap instead.
    if (lastMessage === null || time.nowMs() - lastMessage.atMs > lastMessageTimeoutMs) {
      lastMessage = { key: pages[0]?.sendText('the last one') ?? '', atMs: time.nowMs() }
    }
    const { key } = lastMessage
    if (!pages.every((page) => page.isSettled() && page.hasReceived(key))) return false
    receivedAtMs ??= time.nowMs()
    return time.nowMs() - receivedAtMs >= removalTimeoutMs
  }
  // The tick keeps the clock running, because the virtual time calls `isOver` only between tasks.
  const tick = () => void time.after(pollIntervalMs, tick)
  time.after(plan.endMs, tick)
  await time.run(isOver, plan.endMs + settleTimeoutMs)
  const unsettled = pages.filter((page) => !page.isSettled()).map(({ name }) => name)
  const failure = isOver() ? null : `not settled: ${unsettled.join(', ')}`
  deployment.stop()
  const recordLog = createRecorder('log')
  recordLog({ type: 'opened', role: 'log' })
  deployment.recordLog(recordLog)
  const result = checkHistories(histories, {
    retainedMessages: plan.retainedMessages,
    isShared: plan.nodes > 1,
    restrictionFacts: restrictionFactsOf(plan),
  })
  return { result, failure, histories, virtualMs: time.nowMs() }
}
