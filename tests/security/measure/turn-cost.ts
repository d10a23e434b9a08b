// This module reports the CPU time of the most expensive turn of the event loop, and of all turns, to the parent
// process. Wall-clock time would include other load on the machine. The test preloads this module into the server.

import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  let countedAt = process.threadCpuUsage()
  let worstMs = 0
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(countedAt)
    countedAt = process.threadCpuUsage()
    worstMs = Math.max(worstMs, (user + system) / 1_000)
  }, 1).unref()
  process.on('message', () => {
    const { user, system } = process.threadCpuUsage()
    process.send?.({ worstMs, totalMs: (user + system) / 1_000 })
    worstMs = 0
  })
}
