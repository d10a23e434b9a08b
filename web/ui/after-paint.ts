/** Maximum wait for a paint. A hidden tab gets no animation frames. */
const maxWaitMs = 100

/** Resolves after the next paint, or after `maxWaitMs`. Call it before `alert`, which blocks painting. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, maxWaitMs)
    window.requestAnimationFrame(() => {
      window.clearTimeout(timer)
      window.setTimeout(resolve)
    })
  })
}
