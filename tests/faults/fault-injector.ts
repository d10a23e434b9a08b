import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { LinkAction, PageAction, Rested, Schedule, Timed } from './schedule.ts'

const burstMs = 1_500

/** How often each thing was done, not meant to be done. */
export type Tally = Record<string, number>

const linkTally = {
  cuts: 0,
  stalls: 0,
  halfCloses: 0,
  offlines: 0,
  slowReaders: 0,
  observers: 0,
  bursts: 0,
}

interface FaultInjectorOptions<Action> {
  schedule: Schedule<Action>
  fleet: Fleet
  signal: AbortSignal
  /** Counts what happens to whatever the clients are connected to. */
  serverTally: Tally
  onServer: (action: Action, pause: (ms: number) => Promise<void>) => Promise<void>
  /** A fault of everybody has begun, or is over. */
  disturb: (now: boolean) => void
}

/** Carries the schedule out. */
export function createFaultInjector<Action>({
  schedule,
  fleet,
  signal,
  serverTally,
  onServer,
  disturb,
}: FaultInjectorOptions<Action>) {
  const pause = (ms: number) => setTimeout(ms, undefined, { signal })
  const tally = { ...linkTally }

  async function onLinks(action: LinkAction): Promise<void> {
    fleet.disturb(action.clients, true)
    await strike(action)
    fleet.disturb(action.clients, false)
  }

  async function strike(action: LinkAction): Promise<void> {
    const proxies = action.clients.map((index) => fleet.proxy(index))
    switch (action.kind) {
      case 'cut':
        tally.cuts++
        for (const proxy of proxies) proxy.cut(action.style)
        return
      case 'half-close':
        tally.halfCloses++
        for (const proxy of proxies) proxy.halfClose(action.direction)
        return
      case 'offline':
        tally.offlines++
        for (const proxy of proxies) proxy.refuse()
        break
      case 'stall':
        tally.stalls++
        for (const proxy of proxies) proxy.stall(action.directions, action.scope)
        break
      case 'slow-reader':
        tally.slowReaders++
        for (const proxy of proxies) proxy.stall(['toClient'], 'links')
        // So much is said meanwhile that no buffer on the way can hide the sleeper.
        fleet.burst(burstMs)
    }
    await pause(action.forMs)
    for (const proxy of proxies) {
      if (action.kind === 'stall' && action.thenCut) proxy.cut('reset')
      proxy.resume()
    }
  }

  async function onPages({ kind }: PageAction): Promise<void> {
    if (kind === 'burst') {
      tally.bursts++
      return fleet.burst(burstMs)
    }
    tally.observers++
    await fleet.addObserver()
  }

  return {
    tally: (): Tally => ({ ...serverTally, ...tally }),
    async run(seconds: number): Promise<void> {
      const startedAt = performance.now()
      const until = (atMs: number) => pause(Math.max(0, startedAt + atMs - performance.now()))
      const inTurn = async (actions: readonly Rested<Action>[]) => {
        for (const action of actions) {
          await pause(action.restMs)
          disturb(true)
          await onServer(action, pause)
          disturb(false)
        }
      }
      const allAtOnce = async <Act>(actions: readonly Timed<Act>[], act: (action: Act) => Promise<void>) => {
        await Promise.all(actions.map(async (action) => act((await until(action.atMs), action))))
      }
      await Promise.all([
        until(seconds * 1_000),
        inTurn(schedule.server),
        allAtOnce(schedule.links, onLinks),
        allAtOnce(schedule.pages, onPages),
      ])
    },
  }
}
