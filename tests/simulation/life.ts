import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cursor } from '../../contract/messages.ts'
import type { Retention } from '../../server/room/message-log.ts'
import { createSqliteLogStore } from '../../server/room/sqlite/sqlite-log-store.ts'
import { checkHistories } from '../faults/checker.ts'
import { bodyOf, type Happening, type History, keyOf } from '../faults/history.ts'
import { createRandom, type Random } from '../faults/random.ts'
import type { Verdict } from '../faults/verdict.ts'
import { type LifePlan, type Step } from './plan.ts'
import { createSimulatedPage, type Room, type SimulatedPage } from './simulated-page.ts'
import { type SimulatedServer, startSimulatedServer } from './simulated-server.ts'
import { createVirtualTime, installTime } from './virtual-time.ts'

export interface LifeOutcome {
  verdict: Verdict
  /** What a life that did not come to rest waited for. */
  broke: string | null
  histories: History[]
  virtualMs: number
}

const dayMs = 86_400_000
const settleLimitMs = 120_000
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
  const file = join(folder, 'messages.sqlite')
  const retention = { maxAgeMs: dayMs, maxMessages: plan.retainedMessages }
  const histories: History[] = []
  const pages: SimulatedPage[] = []
  let server: SimulatedServer | null = null

  function recorder(name: string): (happening: Happening) => void {
    const history: History = { name, events: [] }
    histories.push(history)
    return (happening) => history.events.push({ at: time.nowMs(), ...happening })
  }
  const keeper = recorder('server')
  keeper({ type: 'opened', role: 'server' })
  // The network here is as slow as it likes: nothing is late.
  keeper({ type: 'disturbed', now: true })

  const start = () => {
    server = startSimulatedServer({ file, retention, time, random })
  }
  const room: Room = {
    admit(connection, cursor: Cursor | undefined) {
      server?.admit(connection, cursor)
      return server !== null
    },
    receive: (...args) => server?.receive(...args),
    leave: (connection) => server?.leave(connection),
  }
  const open = () => {
    const name = `page-${pages.length + 1}`
    pages.push(createSimulatedPage({ name, time, random, room, record: recorder(name) }))
  }

  function take({ kind, page = 0, downMs = 0 }: Step): void {
    const chosen = pages[page % pages.length]
    if (kind === 'say') chosen?.say('x'.repeat(random.whole(0, 20)))
    if (kind === 'cut') chosen?.cut()
    if (kind === 'ask') chosen?.ask()
    if (kind === 'open') open()
    if (kind === 'backup') copyFileSync(file, `${file}.backup`)
    if (kind !== 'crash' && kind !== 'restore') return
    if (server === null) return
    server.crash()
    server = null
    if (kind === 'restore' && existsSync(`${file}.backup`)) {
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      copyFileSync(`${file}.backup`, file)
      keeper({ type: 'restored' })
    }
    time.after(downMs, start)
  }

  start()
  for (let count = 0; count < plan.pages; count++) open()
  for (const step of plan.steps) time.after(step.atMs, () => take(step))

  // The last word: when it has reached everybody, everybody is at the head.
  let lastWord: { key: string; atMs: number } | null = null
  const everybodyIsSettled = () => server !== null && pages.every((page) => page.isSettled())
  const isOver = () => {
    if (time.nowMs() <= plan.endMs || !everybodyIsSettled()) return false
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
  const broke = isOver()
    ? null
    : `not at rest: ${pages
        .filter((page) => !page.isSettled())
        .map(({ name }) => name)
        .join(', ')}`
  ;(server as SimulatedServer | null)?.crash()
  tellLog(file, retention, recorder('log'))
  const verdict = checkHistories(histories, { retainedMessages: plan.retainedMessages })
  return { verdict, broke, histories, virtualMs: time.nowMs() }
}

/** What the log holds in the end, from as far back as it reaches. */
function tellLog(file: string, retention: Retention, record: (happening: Happening) => void): void {
  record({ type: 'opened', role: 'log' })
  const store = createSqliteLogStore(file, retention)
  const { epoch } = store
  for (let after = store.range().oldest - 1; after < store.range().head;) {
    const page = store.readAfter(after, { maxMessages: 1_000, maxCharacters: 1_000_000 })
    if (page === null || page.length === 0) throw new Error(`the log has a hole after ${after}`)
    for (const { seq, message } of page) {
      record({ type: 'stored', key: keyOf(message), body: bodyOf(message), epoch, seq })
    }
    after += page.length
  }
  store.close()
}
