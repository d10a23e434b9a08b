import { type RefObject, useCallback, useEffect, useRef } from 'react'

/** Time after a wheel, touch or key event in which a scroll counts as the user's. */
const userScrollMs = 500
/**
 * Time after a pointer press in which a scroll counts as the user's. Dragging the scroll bar fires
 * `pointerdown` and then only `scroll` events.
 */
const dragScrollMs = 2_000

/**
 * Returns a function that distinguishes a user's scroll from one that the layout causes, for example when entries are
 * re-measured.
 */
export function useUserScroll(scroller: RefObject<HTMLElement | null>): () => boolean {
  const untilMs = useRef(0)
  useEffect(() => {
    const view = scroller.current
    if (view === null) return
    const markFor = (durationMs: number) => () => {
      untilMs.current = Date.now() + durationMs
    }
    const onUserInput = markFor(userScrollMs)
    const onPointerDown = markFor(dragScrollMs)
    for (const type of ['wheel', 'touchmove', 'keydown']) view.addEventListener(type, onUserInput, { passive: true })
    view.addEventListener('pointerdown', onPointerDown)
    return () => {
      for (const type of ['wheel', 'touchmove', 'keydown']) view.removeEventListener(type, onUserInput)
      view.removeEventListener('pointerdown', onPointerDown)
    }
  }, [scroller])
  return useCallback(() => Date.now() < untilMs.current, [])
}
