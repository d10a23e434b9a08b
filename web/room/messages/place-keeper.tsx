import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { ListHandle } from './list-geometry.ts'
import { useReadingMemory } from './reading-memory.ts'

interface PlaceKeeperProps {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<ListHandle | null>
  goToEnd: () => void
}

/**
 * Puts a list that has just been drawn where the reader was, and keeps its end in view whenever that moves: a message
 * comes, lines wrap anew, a keyboard opens, a long entry is measured. Drawn anew, by its key, with the list.
 */
export function PlaceKeeper({ scroller, list, goToEnd }: PlaceKeeperProps) {
  const memory = useReadingMemory()

  useLayoutEffect(() => {
    const { stuck, anchor } = memory.get()
    if (stuck) goToEnd()
    else list.current?.show(anchor)
  }, [list, goToEnd, memory])

  useEffect(() => {
    const view = scroller.current
    const ol = view?.querySelector('ol')
    if (view === null || ol === null || ol === undefined) return
    const observer = new ResizeObserver(() => {
      if (memory.get().stuck) goToEnd()
    })
    observer.observe(view)
    observer.observe(ol)
    return () => observer.disconnect()
  }, [scroller, goToEnd, memory])

  return null
}
