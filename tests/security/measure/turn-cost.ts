import { isMainThread } from 'node:worker_threads'

/**
 * Loaded into the measured server before its own code: tells the parent process how much work the costliest turn of the
 * event loop was. Processor time, not time on the clock: a busy machine must not make a turn look long.
 */
if (isMainThread) {
  let countedAt = process.threadCpuUsage()
  let worstMs = 0
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(countedAt)
    countedAt = process.threadCpuUsage()
    worstMs = Math.max(worstMs, (user + system) / 1_000)
  }, 1).unref()
  process.on('message', () => {
    process.send?.({ worstMs })
    worstMs = 0
  })
}
