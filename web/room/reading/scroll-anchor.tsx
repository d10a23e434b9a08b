import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { ListHandle } from '../list/list-geometry.ts'
import { useReadingMemory } from './reading-memory.ts'

interface PlaceKeeperProps {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<ListHandle | null>
  goToEnd: () => void
  look: () => void
}

/**
 * Puts a list that has just been drawn where the reader was, and keeps that place in view whenever it moves: a message
 * comes, lines wrap anew, a keyboard opens, a long entry is measured. Drawn anew, by its key, with the list.
 */
export function PlaceKeeper({ scroller, list, goToEnd, look }: PlaceKeeperProps) {
  const memory = useReadingMemory()

  useLayoutEffect(() => {
    if (memory.reading.get().following) goToEnd()
    else list.current?.show(memory.anchor.get())
  }, [list, goToEnd, memory])

  useEffect(() => {
    const view = scroller.current
    const ol = view?.querySelector('ol')
    if (view === null || ol === null || ol === undefined) return
    // What has been drawn above the reader moves them, where the browser does not keep the place.
    const holdPlace = () => {
      if (!memory.reading.get().following) list.current?.hold?.(memory.anchor.get())
    }
    let frame = 0
    // What was drawn just now is measured before the next frame.
    const lookSoon = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        holdPlace()
        look()
      })
    }
    const sizes = new ResizeObserver(() => {
      if (memory.reading.get().following) goToEnd()
      holdPlace()
      lookSoon()
    })
    sizes.observe(view)
    sizes.observe(ol)
    // Entries that come into sight need not change any size.
    const entries = new MutationObserver(lookSoon)
    entries.observe(ol, { childList: true })
    return () => {
      sizes.disconnect()
      entries.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [scroller, list, goToEnd, look, memory])

  return null
}
