import { createRandom, type Random } from './random.ts'
import type { CutStyle, Direction, StallScope } from './tcp-proxy.ts'

/** Duration of a start and of a drain on an idle machine. */
const startMs = 1_500
const drainMs = 3_000
const hourMs = 3_600_000

export type ServerAction =
  | { kind: 'kill'; downMs: number; againAfterMs?: number }
  | { kind: 'stop'; forMs: number }
  | { kind: 'drain'; killAfterMs?: number }
  /** Another connection holds the write lock of the log database. */
  | { kind: 'lock'; forMs: number }
  /** The log thread exits, which ends the server process. */
  | { kind: 'thread exit' }
  | { kind: 'clock'; offsetMs: number; forMs: number }

export type LinkAction =
  | { kind: 'cut'; clients: number[]; style: CutStyle }
  | { kind: 'offline'; clients: number[]; forMs: number }
  | { kind: 'stall'; clients: number[]; directions: Direction[]; scope: StallScope; forMs: number; thenCut: boolean }
  | { kind: 'half-close'; clients: number[]; direction: Direction }
  | { kind: 'slow-consumer'; clients: number[]; forMs: number }

export type PageAction = { kind: 'late client' | 'burst' }

export type Timed<Action> = Action & { atMs: number }
/**
 * Action and the pause of `restMs` before it. The pause starts when the server is ready again after the previous
 * action, so that a slow machine runs the same number of faults.
 */
export type Rested<Action> = Action & { restMs: number }

export interface Schedule<Action = ServerAction> {
  server: Rested<Action>[]
  links: Timed<LinkAction>[]
  pages: Timed<PageAction>[]
}

interface Plan {
  seed: number
  seconds: number
  clients: number
  /** Whether the run uses stock Socket.IO, which has neither a log nor threads. */
  control?: boolean
}

/** Draws all faults of a run and their times. The same seed gives the same schedule. */
export function drawSchedule({ seed, seconds, clients, control = false }: Plan): Schedule {
  const random = createRandom(`schedule ${seed}`)
  const endMs = seconds * 1_000
  return {
    server: drawServerActions(random, endMs, control),
    links: drawLinkActions(random, endMs, clients),
    pages: drawPageActions(random, endMs),
  }
}

function drawServerActions(random: Random, endMs: number, control: boolean): Rested<ServerAction>[] {
  const ends = ['kill', 'kill', 'kill', 'kill', 'kill twice', 'stop', 'stop', 'drain', 'drain, kill']
  const nextKind = random.drawFrom(control ? ends : [...ends, 'kill', 'kill', 'lock', 'thread exit', 'clock'])
  const actions: Rested<ServerAction>[] = []
  for (let plannedMs = 0; ;) {
    const kind = nextKind()
    const restMs = random.whole(2_000, 4_500)
    const downMs = random.chance(0.7) ? random.whole(0, 300) : random.whole(300, 2_500)
    const forMs = random.whole(500, 5_000)
    const brief = kind === 'stop' || kind === 'lock' || kind === 'clock'
    const long = kind === 'drain' || kind === 'thread exit'
    plannedMs += restMs + (brief ? forMs : long ? drainMs + startMs : downMs + startMs)
    if (plannedMs > endMs) return actions
    if (kind === 'lock') actions.push({ restMs, kind, forMs })
    else if (kind === 'thread exit') actions.push({ restMs, kind })
    else if (kind === 'clock') actions.push({ restMs, kind, forMs, offsetMs: random.whole(-72, 72) * hourMs })
    else if (kind === 'stop') actions.push({ restMs, kind, forMs })
    else if (kind === 'drain') actions.push({ restMs, kind })
    else if (kind === 'drain, kill') actions.push({ restMs, kind: 'drain', killAfterMs: random.whole(0, 2_500) })
    else if (kind === 'kill') actions.push({ restMs, kind, downMs })
    else actions.push({ restMs, kind: 'kill', downMs, againAfterMs: random.whole(50, 1_500) })
  }
}

export function drawLinkActions(random: Random, endMs: number, clients: number): Timed<LinkAction>[] {
  const allClients = Array.from({ length: clients }, (_, index) => index)
  const some = (most: number) => random.shuffle(allClients).slice(0, random.whole(1, most))
  const cuts = ['cut one', 'cut one', 'cut some', 'cut some', 'cut all']
  const stalls = ['stall', 'stall', 'stall', 'slow-consumer']
  const nextKind = random.drawFrom([...cuts, ...stalls, 'offline', 'offline', 'half-close', 'half-close'])
  const actions: Timed<LinkAction>[] = []
  for (let atMs = random.whole(500, 2_000); atMs < endMs - 500; atMs += random.whole(800, 3_500)) {
    const kind = nextKind()
    const direction = random.pick<Direction>(['toServer', 'toClient'])
    const style = random.pick<CutStyle>(['reset', 'close'])
    const forMs = random.chance(0.75) ? random.whole(300, 6_000) : random.whole(6_000, 25_000)
    if (kind === 'cut one') actions.push({ atMs, kind: 'cut', clients: some(1), style })
    else if (kind === 'cut some') actions.push({ atMs, kind: 'cut', clients: some(8), style })
    else if (kind === 'cut all') actions.push({ atMs, kind: 'cut', clients: allClients, style })
    else if (kind === 'offline') actions.push({ atMs, kind, clients: some(4), forMs })
    else if (kind === 'half-close') actions.push({ atMs, kind, clients: some(4), direction })
    else if (kind === 'slow-consumer') {
      // The stall is longer than the 10 s after which the server closes a connection to which it cannot write.
      actions.push({ atMs, kind, clients: some(3), forMs: random.whole(11_000, 16_000) })
    } else {
      const directions = random.pick<Direction[]>([['toServer'], ['toClient'], ['toServer', 'toClient']])
      const scope = random.pick<StallScope>(['path', 'links'])
      actions.push({ atMs, kind: 'stall', clients: some(5), directions, scope, forMs, thenCut: random.chance(0.5) })
    }
  }
  return actions
}

export function drawPageActions(random: Random, endMs: number): Timed<PageAction>[] {
  const actions: Timed<PageAction>[] = []
  const wanted = Math.min(20, Math.max(4, Math.round(endMs / 7_500)))
  for (let index = 0; index < wanted; index++) {
    const share = (endMs * 0.9) / wanted
    const kind = index % 2 === 0 ? 'late client' : 'burst'
    actions.push({ kind, atMs: Math.round(share * index) + random.whole(0, Math.round(share)) })
  }
  return actions
}
