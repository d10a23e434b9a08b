const intervalMs = 50
const defaultStallMs = 500

/**
 * Calls `onStall` after each stall of this process, which runs all clients of a run. Messages that are late during a
 * stall do not prove a defect of the server.
 */
export function watchStalls(onStall: () => void, stallMs = defaultStallMs) {
  let dueAtMs = performance.now() + intervalMs
  const timer = setInterval(() => {
    const nowMs = performance.now()
    if (nowMs - dueAtMs > stallMs) onStall()
    dueAtMs = nowMs + intervalMs
  }, intervalMs)
  return { stop: () => clearInterval(timer) }
}
