/** Maximum delay of `setTimeout`, about 24.8 days. */
const maxTimeoutMs = 2 ** 31 - 1

/** Creates a timer with at most one pending callback. Setting the timer again replaces the callback. */
export function createTimer() {
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Runs the callback after any finite delay. Waits in steps if the delay is longer than `setTimeout` supports. */
  function set(delayMs: number, callback: () => void) {
    clearTimeout(timer)
    if (delayMs <= maxTimeoutMs) timer = setTimeout(callback, delayMs)
    else timer = setTimeout(() => set(delayMs - maxTimeoutMs, callback), maxTimeoutMs)
  }

  return { set, clear: () => clearTimeout(timer) }
}
