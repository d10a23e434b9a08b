/** A timer that holds one appointment at most, so that none is left behind. */
export function createTimer() {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    set(delayMs: number, ring: () => void) {
      clearTimeout(timer)
      timer = setTimeout(ring, delayMs)
    },
    clear: () => clearTimeout(timer),
  }
}
