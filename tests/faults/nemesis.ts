import { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'
import type { LinkAction, PageAction, Rested, Schedule, ServerAction, Timed } from './schedule.ts'
import type { Stage } from './stage.ts'

const burstMs = 1_500

export interface Tally {
  kills: number
  stops: number
  drains: number
  cuts: number
  stalls: number
  halfCloses: number
  offlines: number
  slowReaders: number
  observers: number
  locks: number
  deadThreads: number
  clockJumps: number
  bursts: number
}

interface NemesisOptions {
  schedule: Schedule
  stage: Stage
  fleet: Fleet
  signal: AbortSignal
}

/** Carries the schedule out; counts what it did, not what it meant to do. */
export function createNemesis({ schedule, stage, fleet, signal }: NemesisOptions) {
  const { server, disturb } = stage
  const pause = (ms: number) => setTimeout(ms, undefined, { signal })
  const tally: Tally = {
    kills: 0,
    stops: 0,
    drains: 0,
    cuts: 0,
    stalls: 0,
    halfCloses: 0,
    offlines: 0,
    slowReaders: 0,
    observers: 0,
    locks: 0,
    deadThreads: 0,
    clockJumps: 0,
    bursts: 0,
  }

  async function restart(): Promise<void> {
    server.spawn()
    await server.ready()
  }

  async function onServer(action: ServerAction): Promise<void> {
    if (action.kind === 'stop') {
      tally.stops++
      server.signal('SIGSTOP')
      await pause(action.forMs)
      server.signal('SIGCONT')
      return
    }
    if (action.kind === 'lock') return lockLog(action.forMs)
    if (action.kind === 'thread dies') return killThread()
    if (action.kind === 'clock') {
      tally.clockJumps++
      stage.setClock(action.offsetMs)
      await pause(action.forMs)
      return stage.setClock(0)
    }
    if (action.kind === 'drain') {
      tally.drains++
      if (action.killAfterMs !== undefined) tally.kills++
      await server.drain(action.killAfterMs)
      return restart()
    }
    tally.kills++
    await server.kill()
    await pause(action.downMs)
    if (action.againAfterMs !== undefined) {
      server.spawn()
      await pause(action.againAfterMs)
      tally.kills++
      await server.kill()
    }
    await restart()
  }

  async function lockLog(forMs: number): Promise<void> {
    tally.locks++
    const other = new DatabaseSync(stage.messagesFile, { timeout: 5_000 })
    try {
      other.exec('BEGIN IMMEDIATE')
      await pause(forMs)
      other.exec('ROLLBACK')
    } finally {
      other.close()
    }
  }

  async function killThread(): Promise<void> {
    tally.deadThreads++
    await server.drain()
    server.spawn({ FAULT_POINT: 'storage-dies' })
    await server.ready()
    const ended = server.expectEnd()
    fleet.say('fault-point')
    await ended
    await restart()
  }

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
    tally,
    async run(seconds: number): Promise<void> {
      const startedAt = performance.now()
      const until = (atMs: number) => pause(Math.max(0, startedAt + atMs - performance.now()))
      const inTurn = async (actions: readonly Rested<ServerAction>[]) => {
        for (const action of actions) {
          await pause(action.restMs)
          disturb(true)
          await onServer(action)
          disturb(false)
        }
      }
      const allAtOnce = async <Action>(actions: readonly Timed<Action>[], act: (action: Action) => Promise<void>) => {
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
