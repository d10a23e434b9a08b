import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { LinkAction, PageAction, Rested, Schedule, Timed } from './schedule.ts'
import { waitFor } from './wait-for.ts'

const burstMs = 1_500
/** Minimum number of messages between two faults of the server, so that a slow machine has a meaningful run too. */
export const messagesBetweenFaults = 20
const messagesTimeoutMs = 90_000

/** Number of faults injected so far, by kind. */
export type Tally = Record<string, number>

const linkTally = {
  cuts: 0,
  stalls: 0,
  halfCloses: 0,
  offlines: 0,
  slowConsumers: 0,
  lateClients: 0,
  bursts: 0,
}

interface FaultInjectorOptions<Action> {
  schedule: Schedule<Action>
  fleet: Fleet
  signal: AbortSignal
  /** Counts of the faults that `onServer` injects. */
  serverTally: Tally
  onServer: (action: Action, pause: (ms: number) => Promise<void>) => Promise<void>
  /** Records the start or the end of a fault that affects all clients. */
  recordFault: (isActive: boolean) => void
}

/** Creates an injector of the faults of a schedule. */
export function createFaultInjector<Action>({
  schedule,
  fleet,
  signal,
  serverTally,
  onServer,
  recordFault,
}: FaultInjectorOptions<Action>) {
  const pause = (ms: number) => setTimeout(ms, undefined, { signal })
  const tally = { ...linkTally }

  async function runLinkAction(action: LinkAction): Promise<void> {
    fleet.recordFault(action.clients, true)
    await injectLinkFault(action)
    fleet.recordFault(action.clients, false)
  }

  async function injectLinkFault(action: LinkAction): Promise<void> {
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
        for (const proxy of proxies) proxy.rejectConnections()
        break
      case 'stall':
        tally.stalls++
        for (const proxy of proxies) proxy.stall(action.directions, action.scope)
        break
      case 'slow-consumer':
        tally.slowConsumers++
        for (const proxy of proxies) proxy.stall(['toClient'], 'links')
        // The burst fills every buffer between the server and the client, so that the server is under backpressure.
        fleet.burst(burstMs)
    }
    await pause(action.forMs)
    for (const proxy of proxies) {
      if (action.kind === 'stall' && action.thenCut) proxy.cut('reset')
      proxy.resume()
    }
  }

  async function runPageAction({ kind }: PageAction): Promise<void> {
    if (kind === 'burst') {
      tally.bursts++
      return fleet.burst(burstMs)
    }
    tally.lateClients++
    await fleet.addLateClient()
  }

  return {
    tally: (): Tally => ({ ...serverTally, ...tally }),
    async run(seconds: number): Promise<void> {
      const startedAt = performance.now()
      const until = (atMs: number) => pause(Math.max(0, startedAt + atMs - performance.now()))
      const runInSequence = async (actions: readonly Rested<Action>[]) => {
        for (const action of actions) {
          const enough = fleet.finishedMessages() + messagesBetweenFaults
          await pause(action.restMs)
          await waitFor('messages between two faults', () => fleet.finishedMessages() >= enough, {
            timeoutMs: messagesTimeoutMs,
            signal,
          })
          recordFault(true)
          await onServer(action, pause)
          recordFault(false)
        }
      }
      const runConcurrently = async <Act>(actions: readonly Timed<Act>[], act: (action: Act) => Promise<void>) => {
        await Promise.all(actions.map(async (action) => act((await until(action.atMs), action))))
      }
      await Promise.all([
        until(seconds * 1_000),
        runInSequence(schedule.server),
        runConcurrently(schedule.links, runLinkAction),
        runConcurrently(schedule.pages, runPageAction),
      ])
    },
  }
}
