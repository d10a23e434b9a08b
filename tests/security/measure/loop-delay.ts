/** Preloaded into the measured server. Reports its event loop delay to the parent process. */
const everyMs = 2
let delaysMs: number[] = []
let dueAtMs = performance.now() + everyMs

/**
 * Samples the delay of a request that arrives at a random time: a turn that is late by 100 ms counts fifty times.
 * The histogram of Node counts each turn once, which would hide a long pause among the short turns.
 */
setInterval(() => {
  const nowMs = performance.now()
  for (; dueAtMs <= nowMs; dueAtMs += everyMs) delaysMs.push(nowMs - dueAtMs)
}, everyMs).unref()

process.on('message', (request) => {
  const sorted = delaysMs.toSorted((a, b) => a - b)
  process.send?.({ p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0 })
  if (request === 'reset') delaysMs = []
})
