import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** What is turned away while the event loop is late: logins and registrations first, new connections next. */
export type Pressure = 'none' | 'shed-logins' | 'shed-connections'

export const pressureLogLines: Record<Pressure, string> = {
  none: 'no longer overloaded: everybody is let in again',
  'shed-logins': 'overloaded: logins and registrations are turned away',
  'shed-connections': 'overloaded: logins, registrations and new connections are turned away',
}

export interface Turns {
  /** How late each of the last turns of the event loop came. */
  delaysMs: readonly number[]
  /** How much of that time the loop was not waiting for something to do, from 0 to 1. */
  busyness: number
}

const sampleEveryMs = 50
/** So long it must go on: one pause, or a slow start, is no overload. */
const windowMs = 3_000

/** Established chat needs no level of its own: the room refuses by itself when it is full. */
const shedLoginsAboveMs = 150
const shedConnectionsAboveMs = 600
/** A loop that is late without being busy is kept from running by other programs: turning visitors away would not help. */
const minBusyness = 0.9

/**
 * The level that these turns stand for. One is left only at half of what brought it on: at the very threshold it would
 * come and go with every turn.
 */
export function pressureAt({ delaysMs, busyness }: Turns, before: Pressure): Pressure {
  if (busyness < minBusyness) return 'none'
  const typicalMs = delaysMs.toSorted((a, b) => a - b)[Math.floor(delaysMs.length / 2)] ?? 0
  if (typicalMs > shedConnectionsAboveMs * (before === 'shed-connections' ? 0.5 : 1)) return 'shed-connections'
  return typicalMs > shedLoginsAboveMs * (before === 'none' ? 1 : 0.5) ? 'shed-logins' : 'none'
}

interface Sample {
  atMs: number
  delayMs: number
  loop: EventLoopUtilization
}

/** Watches how late the event loop's turns are. */
export function watchPressure(onChange: (level: Pressure) => void) {
  let level: Pressure = 'none'
  const samples: Sample[] = []
  let sampledAtMs = performance.now()

  const timer = setInterval(() => {
    const atMs = performance.now()
    const delayMs = Math.max(0, atMs - sampledAtMs - sampleEveryMs)
    samples.push({ atMs, delayMs, loop: performance.eventLoopUtilization() })
    sampledAtMs = atMs
    const first = samples[0]
    if (first === undefined || atMs - first.atMs < windowMs) return
    while ((samples[1]?.atMs ?? atMs) <= atMs - windowMs) samples.shift()
    const next = pressureAt(turnsOf(samples), level)
    if (next === level) return
    level = next
    onChange(level)
  }, sampleEveryMs).unref()

  return {
    level: () => level,
    stop: () => clearInterval(timer),
  }
}

export type PressureWatch = ReturnType<typeof watchPressure>

function turnsOf(samples: readonly Sample[]): Turns {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return { delaysMs: [], busyness: 0 }
  const busyness = performance.eventLoopUtilization(last.loop, first.loop).utilization
  // Nearly always: an idle server does not go through them twenty times a second.
  if (busyness < minBusyness) return { delaysMs: [], busyness }
  return { delaysMs: samples.slice(1).map(({ delayMs }) => delayMs), busyness }
}
