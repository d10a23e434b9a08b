/** Creates a timer that holds at most one pending callback. Setting it again replaces the callback. */
export function createTimer() {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    set(delayMs: number, callback: () => void) {
      clearTimeout(timer)
      timer = setTimeout(callback, delayMs)
    },
    clear: () => clearTimeout(timer),
  }
}
