// This module appends a line to a file for each turn of the event loop that takes too much CPU time. Wall-clock time
// would include other load on the machine. The test preloads this module into the fuzzed server.

import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { maxTurnMs, type SlowTurn, slowTurnsVariable } from './slow-turns.ts'

const file = process.env[slowTurnsVariable]
if (isMainThread && file !== undefined) {
  let [startMs, startUsage] = [Date.now(), process.threadCpuUsage()]
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(startUsage)
    const costMs = (user + system) / 1_000
    const turn: SlowTurn = { startMs, endMs: Date.now(), costMs }
    if (costMs > maxTurnMs) appendFileSync(file, `${JSON.stringify(turn)}\n`)
    ;[startMs, startUsage] = [Date.now(), process.threadCpuUsage()]
  }, 1).unref()
}
