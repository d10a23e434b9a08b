import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkHistories } from '../faults/checker.ts'
import type { HistoryEvent, History } from '../faults/history.ts'
import { createRandom, type Random } from '../faults/random.ts'
import type { CheckResult } from '../faults/violations.ts'
import { installTime } from './install-time.ts'
import type { LifePlan, Step } from './plan.ts'
import { createSharedSite } from './cluster-deployment.ts'
import { createSimulatedPage, type SimulatedPage } from './simulated-page.ts'
import { createSimulatedPlain } from './simulated-plain-client.ts'
import { createSingleSite } from './single-server-deployment.ts'
import { createVirtualTime } from './virtual-time.ts'

export interface LifeOutcome {
  verdict: CheckResult
  /** What a life that did not come to rest waited for. */
  broke: string | null
  histories: History[]
  virtualMs: number
}

const settleLimitMs = 120_000
/** A message that was given up as `unavailable` may be stored so much later: it is then not the last one, either. */
const lastStragglerMs = 8_000
const lookEveryMs = 100
const lastWordPatienceMs = 5_000

/** One life of a room and its pages, from a plan; the same plan and seed live the same life. */
export async function live(plan: LifePlan): Promise<LifeOutcome> {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'chat-life-'))
  const random = createRandom(`life ${plan.seed}`)
  const time = createVirtualTime(random)
  const uninstall = installTime(time)
  try {
    return await liveIn(folder, plan, random, time)
  } finally {
    uninstall()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function liveIn(
  folder: string,
  plan: LifePlan,
  random: Random,
  time: ReturnType<typeof createVirtualTime>,
): Promise<LifeOutcome> {
  const histories: History[] = []
  const pages: SimulatedPage[] = []

  function recorder(name: string): (happening: HistoryEvent) => void {
    const history: History = { name, events: [] }
    histories.push(history)
    return (happening) => history.events.push({ at: time.nowMs(), ...happening })
  }
  const keep = recorder('server')
  keep({ type: 'opened', role: 'server' })
  // The network here is as slow as it likes: nothing is late.
  keep({ type: 'fault', isActive: true })

  const createSite = plan.nodes === 1 ? createSingleSite : createSharedSite
  const site = createSite({ folder, plan, time, random, keep })

  function open(isPlain: boolean): void {
    const name = `${isPlain ? 'plain' : 'page'}-${pages.length + 1}`
    const create = isPlain ? createSimulatedPlain : createSimulatedPage
    pages.push(create({ name, time, random, room: site.room, record: recorder(name) }))
  }

  function take(step: Step): void {
    const { kind, page = 0 } = step
    const chosen = pages[page % pages.length]
    if (kind === 'say') chosen?.say('x'.repeat(random.whole(0, 20)))
    else if (kind === 'cut') chosen?.cut()
    else if (kind === 'ask') chosen?.ask()
    else if (kind === 'open') open(step.isPlain ?? false)
    else site.take(step)
  }

  for (let count = 0; count < plan.pages; count++) open(false)
  for (const step of plan.steps) time.after(step.atMs, () => take(step))

  // The last word: when it has reached everybody, everybody is at the head.
  let lastWord: { key: string; atMs: number } | null = null
  const everybodyIsSettled = () => site.isUp() && pages.every((page) => page.isSettled())
  const isOver = () => {
    if (time.nowMs() <= plan.endMs + lastStragglerMs || !everybodyIsSettled()) return false
    // Said again where it fell into a gap: whoever came back too late for the log has not been shown it.
    if (lastWord === null || time.nowMs() - lastWord.atMs > lastWordPatienceMs) {
      lastWord = { key: pages[0]?.say('the last one') ?? '', atMs: time.nowMs() }
    }
    const { key } = lastWord
    return pages.every((page) => page.isSettled() && page.hasShown(key))
  }
  // So that there is a moment at which to see that it is over.
  const tick = () => void time.after(lookEveryMs, tick)
  time.after(plan.endMs, tick)
  await time.run(isOver, plan.endMs + settleLimitMs)
  const unsettled = pages.filter((page) => !page.isSettled()).map(({ name }) => name)
  const broke = isOver() ? null : `not at rest: ${unsettled.join(', ')}`
  site.end()
  const tellLog = recorder('log')
  tellLog({ type: 'opened', role: 'log' })
  site.tellLog(tellLog)
  const verdict = checkHistories(histories, { retainedMessages: plan.retainedMessages, isShared: plan.nodes > 1 })
  return { verdict, broke, histories, virtualMs: time.nowMs() }
}
