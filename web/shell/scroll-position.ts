/**
 * Scroll position of a page: the index of its first visible row and the offset of that row. An offset from the top of the
 * page would be wrong. Rows that were never rendered have an estimated height, and a refetched list is empty at first.
 */
export interface ScrollAnchor {
  row: number
  topPx: number
}

const findRows = () => [...document.querySelectorAll<HTMLElement>('main li')]

export function captureScrollAnchor(): ScrollAnchor | undefined {
  if (window.scrollY === 0) return undefined
  const rows = findRows()
  const row = rows.findIndex((element) => element.getBoundingClientRect().bottom > 0)
  const element = rows[row]
  return element === undefined ? undefined : { row, topPx: element.getBoundingClientRect().top }
}

const userInputEvents = ['pointerdown', 'wheel', 'keydown'] as const
/** Number of frames without movement after which the position is stable. */
const stableFrames = 5
const timeoutMs = 10_000

/**
 * Scrolls the row to its saved offset as soon as the row is rendered. Keeps the row there until the position is stable,
 * the user presses a key or a pointer or turns the wheel, or `timeoutMs` have passed. Returns a function that stops the
 * scrolling.
 */
export function restoreScrollAnchor({ row, topPx }: ScrollAnchor): () => void {
  const deadlineMs = performance.now() + timeoutMs
  let unmovedFrames = 0
  let frame = 0
  const update = () => {
    const element = findRows()[row]
    if (element !== undefined) {
      const distancePx = element.getBoundingClientRect().top - topPx
      unmovedFrames = Math.abs(distancePx) < 1 ? unmovedFrames + 1 : 0
      window.scrollBy(0, distancePx)
    }
    if (unmovedFrames < stableFrames && performance.now() < deadlineMs) frame = requestAnimationFrame(update)
    else stop()
  }
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const event of userInputEvents) window.removeEventListener(event, stop)
  }
  for (const event of userInputEvents) window.addEventListener(event, stop, { passive: true })
  update()
  return stop
}
