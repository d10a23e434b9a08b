// This module reports the load of the event loop to the parent process. The test preloads it into the measured server.

import type { LoopLoad } from './measured-server.ts'

const everyMs = 2
let delaysMs: number[] = []
let dueAtMs = performance.now() + everyMs
let worstTurnMs = 0
let [startMs, startUsage] = [performance.now(), process.threadCpuUsage()]
let turnUsage = startUsage

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Sample the delay of a request that arrives at a random time: a turn that is late by 100 ms counts fifty times. The
 * histogram of Node counts each turn once, which would hide a long pause among the short turns.
 */
setInterval(() => {
  const nowMs = performance.now()
  for (; dueAtMs <= nowMs; dueAtMs += everyMs) delaysMs.push(nowMs - dueAtMs)
  worstTurnMs = Math.max(worstTurnMs, cpuMsSince(turnUsage))
  turnUsage = process.threadCpuUsage()
}, everyMs).unref()

process.on('message', (request) => {
  const sorted = delaysMs.toSorted((a, b) => a - b)
  const load: LoopLoad = {
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    worstTurnMs,
    cpuShare: cpuMsSince(startUsage) / (performance.now() - startMs),
  }
  process.send?.(load)
  if (request !== 'reset') return
  delaysMs = []
  worstTurnMs = 0
  startMs = performance.now()
  startUsage = process.threadCpuUsage()
})

// The server ends with the process that measures it, also when that process is killed.
process.on('disconnect', () => process.exit())
