// This module reports the load of the event loop to the parent process. The test preloads it into the measured server.

import { PerformanceObserver } from 'node:perf_hooks'
import type { LoopLoad } from './measured-server.ts'

const everyMs = 2
let delaysMs: number[] = []
let dueAtMs = performance.now() + everyMs
let worstTurn = { cpuMs: 0, systemMs: 0, startMs: 0, endMs: 0 }
let turnStartMs = dueAtMs
let collections: { startMs: number; durationMs: number }[] = []
let [startMs, startUsage] = [performance.now(), process.threadCpuUsage()]
let turnUsage = startUsage

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push({ startMs: startTime, durationMs: duration })
  }
}).observe({ entryTypes: ['gc'] })

/** Returns the time of garbage collection within a turn. It explains a long turn that no client caused. */
function collectionMsIn({ startMs, endMs }: { startMs: number; endMs: number }): number {
  const within = collections.filter((collection) => collection.startMs >= startMs && collection.startMs < endMs)
  return within.reduce((sum, { durationMs }) => sum + durationMs, 0)
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Samples the delay of a request that arrives at a random time: a turn that is late by 100 ms counts fifty times. The
 * histogram of Node counts each turn once, which would hide a long pause among the short turns.
 */
setInterval(() => {
  const nowMs = performance.now()
  for (; dueAtMs <= nowMs; dueAtMs += everyMs) delaysMs.push(nowMs - dueAtMs)
  const cpuMs = cpuMsSince(turnUsage)
  if (cpuMs > worstTurn.cpuMs) {
    const systemMs = process.threadCpuUsage(turnUsage).system / 1_000
    worstTurn = { cpuMs, systemMs, startMs: turnStartMs, endMs: nowMs }
  }
  turnUsage = process.threadCpuUsage()
  turnStartMs = nowMs
}, everyMs).unref()

process.on('message', (request) => {
  const sorted = delaysMs.toSorted((a, b) => a - b)
  const load: LoopLoad = {
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    worstTurnMs: worstTurn.cpuMs,
    worstTurnSystemMs: worstTurn.systemMs,
    worstTurnCollectionMs: collectionMsIn(worstTurn),
    cpuShare: cpuMsSince(startUsage) / (performance.now() - startMs),
  }
  process.send?.(load)
  if (request !== 'reset') return
  delaysMs = []
  worstTurn = { cpuMs: 0, systemMs: 0, startMs: 0, endMs: 0 }
  collections = []
  startMs = performance.now()
  startUsage = process.threadCpuUsage()
})

// The server ends with the process that measures it, also when that process is killed.
process.on('disconnect', () => process.exit())
