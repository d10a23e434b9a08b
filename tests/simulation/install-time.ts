import { syncBuiltinESMExports } from 'node:module'
import timersPromises from 'node:timers/promises'
import type { VirtualTime } from './virtual-time.ts'

/**
 * Replaces the clocks and timers of the process with the virtual clock and timers. Returns a function that restores
 * them.
 */
export function installTime(time: VirtualTime): () => void {
  const names = Object.keys(time.globals) as (keyof typeof time.globals)[]
  const real = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  const realSleep = timersPromises.setTimeout
  const dateNow = Date.now
  const performanceNow = performance.now.bind(performance)
  Object.assign(globalThis, time.globals)
  Date.now = time.dateNow
  performance.now = time.nowMs
  setSleep((delayMs = 0, value) => new Promise((resolve) => time.globals.setTimeout(() => resolve(value), delayMs)))
  return () => {
    Object.assign(globalThis, real)
    Date.now = dateNow
    performance.now = performanceNow
    setSleep(realSleep)
  }
}

/** Replaces `setTimeout` of `node:timers/promises`, also for modules that imported it by name. */
function setSleep(sleep: (delayMs?: number, value?: unknown) => Promise<unknown>): void {
  Object.assign(timersPromises, { setTimeout: sleep })
  syncBuiltinESMExports()
}
