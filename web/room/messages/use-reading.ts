import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { lastVisible, topAnchor } from './list-geometry.ts'
import { afterScroll } from './reading.ts'
import { useReadingMemory } from './reading-memory.ts'

/** Fractions of a pixel, at any zoom, still count as the end. */
const endTolerancePx = 4
/** How long after a turn of the wheel, a touch or a key a scroll still counts as meant. */
const meantForMs = 500
/** A drag of the scroll bar tells nothing but its beginning. */
const dragMeantForMs = 2_000

function useMeantScrolls(scroller: RefObject<HTMLElement | null>) {
  const untilMs = useRef(0)
  useEffect(() => {
    const view = scroller.current
    if (view === null) return
    const forMs = (duration: number) => () => {
      untilMs.current = Date.now() + duration
    }
    const meant = forMs(meantForMs)
    const dragged = forMs(dragMeantForMs)
    for (const type of ['wheel', 'touchmove', 'keydown']) view.addEventListener(type, meant, { passive: true })
    view.addEventListener('pointerdown', dragged)
    return () => {
      for (const type of ['wheel', 'touchmove', 'keydown']) view.removeEventListener(type, meant)
      view.removeEventListener('pointerdown', dragged)
    }
  }, [scroller])
  return useCallback(() => Date.now() < untilMs.current, [])
}

/** Keeps the list at its end while the reader is there, and knows where the reader is otherwise. */
export function useReading(scroller: RefObject<HTMLElement | null>, length: number) {
  const memory = useReadingMemory()
  const [reading, setReading] = useState(memory.get)
  const last = useRef({ topPx: 0, heightPx: 0 })
  const shownLength = useRef(length)
  const isMeant = useMeantScrolls(scroller)

  const goToEnd = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    view.scrollTo({ top: view.scrollHeight })
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
  }, [scroller])

  const look = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    // Where entries are measured anew and others come in, the place moves by itself: then only what was meant counts.
    const isCalm = view.scrollHeight === last.current.heightPx
    const movedUp = view.scrollTop < last.current.topPx - 1 && (isCalm || isMeant())
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight <= endTolerancePx
    const before = memory.get()
    const next = afterScroll(before, {
      length: shownLength.current,
      atEnd,
      movedUp,
      lastVisible: () => lastVisible(view),
      top: () => topAnchor(view),
    })
    memory.set(next)
    if (next.stuck !== before.stuck || (!next.stuck && next.seen !== before.seen)) setReading(next)
    if (next.stuck && !atEnd) goToEnd()
  }, [scroller, memory, goToEnd, isMeant])

  useLayoutEffect(() => {
    shownLength.current = length
  }, [length])

  return { reading, look, goToEnd }
}
