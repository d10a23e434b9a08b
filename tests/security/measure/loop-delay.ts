/** Loaded into the measured server before its own code: tells the parent process how late its event loop was. */
const everyMs = 2
let delaysMs: number[] = []
let dueAtMs = performance.now() + everyMs

/**
 * What whoever comes at a random moment has to wait: a turn that is late by 100 ms makes fifty such moments wait, not
 * one. Counted once per turn, as Node's own histogram does, a long pause would vanish among the short turns.
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
