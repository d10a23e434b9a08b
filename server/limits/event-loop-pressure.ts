import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Report } from '../observe/events.ts'

/**
 * Load that the server sheds while the event loop is late: logins, registrations and account deletions. The second
 * level also sheds new connections.
 */
export type Pressure = 'none' | 'shed-logins' | 'shed-connections'

/** Measurements of the event loop during the last `windowMs`. */
export interface LoopLoad {
  delaysMs: readonly number[]
  /** Share of the time in which the loop was not idle, from 0 to 1. */
  utilization: number
}

const sampleEveryMs = 50
/**
 * Length of the measured window. The median delay in the window determines the level, so a single pause or a slow start
 * does not raise it.
 */
const windowMs = 3_000

// There is no level for messages: the send queue of the room rejects them when it is full.
const shedLoginsAboveMs = 150
const shedConnectionsAboveMs = 600
/** Minimum utilization of an overload. Below it, other processes delay the loop, and shedding load would not help. */
const minUtilization = 0.9

/** Returns the level for a load. The delay that ends a level is half the delay that starts it, so that the level does not flap. */
export function pressureAt({ delaysMs, utilization }: LoopLoad, before: Pressure): Pressure {
  if (utilization < minUtilization) return 'none'
  const medianMs = delaysMs.toSorted((a, b) => a - b)[Math.floor(delaysMs.length / 2)] ?? 0
  if (medianMs > shedConnectionsAboveMs * (before === 'shed-connections' ? 0.5 : 1)) return 'shed-connections'
  return medianMs > shedLoginsAboveMs * (before === 'none' ? 1 : 0.5) ? 'shed-logins' : 'none'
}

interface Sample {
  atMs: number
  delayMs: number
  loop: EventLoopUtilization
}

/** Measures the delay of the event loop and determines the pressure level. */
export function watchPressure(report: Report) {
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
    const next = pressureAt(loadOf(samples), level)
    if (next === level) return
    level = next
    report({ type: 'pressure-changed', level })
  }, sampleEveryMs).unref()

  return {
    level: () => level,
    stop: () => clearInterval(timer),
  }
}

export type PressureWatch = ReturnType<typeof watchPressure>

function loadOf(samples: readonly Sample[]): LoopLoad {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined) return { delaysMs: [], utilization: 0 }
  const { utilization } = performance.eventLoopUtilization(last.loop, first.loop)
  // Below the minimum utilization, the delays are not needed. An idle server would copy them 20 times a second.
  if (utilization < minUtilization) return { delaysMs: [], utilization }
  return { delaysMs: samples.slice(1).map(({ delayMs }) => delayMs), utilization }
}
