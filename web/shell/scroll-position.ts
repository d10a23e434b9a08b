/**
 * Where a page was scrolled to: its topmost row, and where that stood. Not a number of pixels from the top: rows that
 * were never near the screen have only a guessed height, and a list that is fetched anew has at first none at all.
 */
export interface ScrollAnchor {
  row: number
  topPx: number
}

const rows = () => [...document.querySelectorAll<HTMLElement>('main li')]

export function captureScrollAnchor(): ScrollAnchor | undefined {
  if (window.scrollY === 0) return undefined
  const all = rows()
  const row = all.findIndex((element) => element.getBoundingClientRect().bottom > 0)
  const element = all[row]
  return element === undefined ? undefined : { row, topPx: element.getBoundingClientRect().top }
}

const userInputEvents = ['pointerdown', 'wheel', 'keydown'] as const
const settledFrames = 5
const longestMs = 10_000

/**
 * Brings the row back to where it stood, as soon as there is one, and holds it there until the rows around it have their
 * true heights, unless the reader takes over first. Answers what gives it up.
 */
export function restoreScrollAnchor({ row, topPx }: ScrollAnchor): () => void {
  const untilMs = performance.now() + longestMs
  let stillFrames = 0
  let frame = 0
  const hold = () => {
    const element = rows()[row]
    if (element !== undefined) {
      const offPx = element.getBoundingClientRect().top - topPx
      stillFrames = Math.abs(offPx) < 1 ? stillFrames + 1 : 0
      window.scrollBy(0, offPx)
    }
    if (stillFrames < settledFrames && performance.now() < untilMs) frame = requestAnimationFrame(hold)
    else stop()
  }
  const stop = () => {
    cancelAnimationFrame(frame)
    for (const event of userInputEvents) window.removeEventListener(event, stop)
  }
  for (const event of userInputEvents) window.addEventListener(event, stop, { passive: true })
  hold()
  return stop
}
