/** In a tab that is not shown nothing is ever painted, and no frame comes. */
const longestWaitMs = 100

/** Resolves once what has just been drawn can be seen: an alert would freeze the page before it. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, longestWaitMs)
    window.requestAnimationFrame(() => {
      window.clearTimeout(timer)
      window.setTimeout(resolve)
    })
  })
}
