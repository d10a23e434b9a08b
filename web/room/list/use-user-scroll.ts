import { type RefObject, useCallback, useEffect, useRef } from 'react'

/** How long after a turn of the wheel, a touch or a key a scroll still counts as meant. */
const userScrollMs = 500
/** A drag of the scroll bar tells nothing but its beginning. */
const dragScrollMs = 2_000

/** Tells scrolls that the reader means from those that come about by themselves: entries that are measured anew, say. */
export function useUserScroll(scroller: RefObject<HTMLElement | null>): () => boolean {
  const untilMs = useRef(0)
  useEffect(() => {
    const view = scroller.current
    if (view === null) return
    const forMs = (duration: number) => () => {
      untilMs.current = Date.now() + duration
    }
    const meant = forMs(userScrollMs)
    const dragged = forMs(dragScrollMs)
    for (const type of ['wheel', 'touchmove', 'keydown']) view.addEventListener(type, meant, { passive: true })
    view.addEventListener('pointerdown', dragged)
    return () => {
      for (const type of ['wheel', 'touchmove', 'keydown']) view.removeEventListener(type, meant)
      view.removeEventListener('pointerdown', dragged)
    }
  }, [scroller])
  return useCallback(() => Date.now() < untilMs.current, [])
}
