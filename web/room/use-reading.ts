import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { lastVisible, type ListHandle, topAnchor } from './list-geometry.ts'
import { afterScroll } from './reading.ts'
import { useReadingMemory } from './reading-memory.ts'

/** Fractions of a pixel, at any zoom, still count as the end. */
const endTolerancePx = 4

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
  const lastTopPx = useRef(0)
  const shownLength = useRef(length)

  const goToEnd = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    view.scrollTop = view.scrollHeight
    lastTopPx.current = view.scrollTop
  }, [scroller])

  const look = useCallback(() => {
    const view = scroller.current
    if (view === null) return
    const movedUp = view.scrollTop < lastTopPx.current
    lastTopPx.current = view.scrollTop
    const next = afterScroll(memory.current, {
      length: shownLength.current,
      atEnd: view.scrollHeight - view.scrollTop - view.clientHeight <= endTolerancePx,
      movedUp,
      lastVisible: lastVisible(view),
      top: topAnchor(view),
    })
    const changed = next.stuck !== memory.current.stuck || (!next.stuck && next.seen !== memory.current.seen)
    memory.current = next
    if (changed) setReading(next)
  }, [scroller, memory])

  useLayoutEffect(() => {
    if (memory.current.stuck) goToEnd()
    else list.current?.show(memory.current.anchor)
    lastTopPx.current = scroller.current?.scrollTop ?? 0
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

  return { reading, look, goToEnd }
}
