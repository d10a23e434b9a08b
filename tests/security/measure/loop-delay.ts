import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 1

/** Loaded into the measured server before its own code: tells the parent process how late its event loop was. */
const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
histogram.enable()
process.on('message', (request) => {
  if (request === 'reset') histogram.reset()
  process.send?.({ p99Ms: Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs) })
})
