import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { lastVisible, type ListHandle, topAnchor } from './list-geometry.ts'
import { afterScroll } from './reading.ts'
import { useReadingMemory } from './reading-memory.ts'

/** Fractions of a pixel, at any zoom, still count as the end. */
const endTolerancePx = 4
/** How long after a turn of the wheel, a touch or a key a scroll still counts as meant. */
const meantForMs = 500
/** A drag of the scroll bar tells nothing but its beginning. */
const dragMeantForMs = 2_000

/**
 * Keeps the list at its end while the reader is there, and where it is otherwise.
 * `drawing` names the component that draws the list: when another takes over, it is put in the same place.
 */
export function useReading(
  scroller: RefObject<HTMLElement | null>,
  list: RefObject<ListHandle | null>,
  length: number,
  drawing: unknown,
) {
  const memory = useReadingMemory()
  const [reading, setReading] = useState(memory.current)
  const last = useRef({ topPx: 0, heightPx: 0 })
  const meantUntilMs = useRef(0)
  const shownLength = useRef(length)

  const goToEnd = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    view.scrollTop = view.scrollHeight
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
  }, [scroller])

  const look = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    // Where entries are measured anew and others come in, the place moves by itself: then only what was meant counts.
    const isCalm = view.scrollHeight === last.current.heightPx
    const movedUp = view.scrollTop < last.current.topPx - 1 && (isCalm || Date.now() < meantUntilMs.current)
    last.current = { topPx: view.scrollTop, heightPx: view.scrollHeight }
    const atEnd = view.scrollHeight - view.scrollTop - view.clientHeight <= endTolerancePx
    const next = afterScroll(memory.current, {
      length: shownLength.current,
      atEnd,
      movedUp,
      lastVisible: lastVisible(view),
      top: topAnchor(view),
    })
    const changed = next.stuck !== memory.current.stuck || (!next.stuck && next.seen !== memory.current.seen)
    memory.current = next
    if (changed) setReading(next)
    if (next.stuck && !atEnd) goToEnd()
  }, [scroller, memory, goToEnd])

  useLayoutEffect(() => {
    if (memory.current.stuck) goToEnd()
    else list.current?.show(memory.current.anchor)
    last.current.topPx = scroller.current?.scrollTop ?? 0
  }, [drawing, list, goToEnd, memory, scroller])

  useLayoutEffect(() => {
    shownLength.current = length
    if (memory.current.stuck) goToEnd()
  }, [length, goToEnd, memory])

  // Lines wrap anew, a keyboard opens, a long message is measured: the end moves without a message.
  useEffect(() => {
    const view = scroller.current
    const ol = view?.querySelector('ol')
    if (view === null || ol === null || ol === undefined) return
    const observer = new ResizeObserver(() => {
      if (memory.current.stuck) goToEnd()
    })
    observer.observe(view)
    observer.observe(ol)
    return () => observer.disconnect()
  }, [drawing, goToEnd, memory, scroller])

  useEffect(() => {
    const view = scroller.current
    if (view === null) return
    const meant = () => {
      meantUntilMs.current = Date.now() + meantForMs
    }
    const dragged = () => {
      meantUntilMs.current = Date.now() + dragMeantForMs
    }
    for (const type of ['wheel', 'touchmove', 'keydown']) view.addEventListener(type, meant, { passive: true })
    view.addEventListener('pointerdown', dragged)
    return () => {
      for (const type of ['wheel', 'touchmove', 'keydown']) view.removeEventListener(type, meant)
      view.removeEventListener('pointerdown', dragged)
    }
  }, [scroller])

  return { reading, look, goToEnd }
}
