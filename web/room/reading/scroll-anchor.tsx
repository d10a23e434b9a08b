import { type RefObject, useEffect, useLayoutEffect } from 'react'
import type { ListHandle } from '../list/list-geometry.ts'
import { useReadingMemory } from './reading-memory.ts'

interface ScrollAnchorProps {
  scroller: RefObject<HTMLElement | null>
  list: RefObject<ListHandle | null>
  goToEnd: () => void
  updateReading: () => void
}

/**
 * Restores the user's scroll position in a list that was just mounted. Then keeps the position when the layout changes:
 * a message arrives, lines wrap differently, an on-screen keyboard opens, or an entry is measured. The `key` of this
 * component is the name of the list renderer, so a change of the renderer restores the position again.
 */
export function ScrollAnchor({ scroller, list, goToEnd, updateReading }: ScrollAnchorProps) {
  const memory = useReadingMemory()

  useLayoutEffect(() => {
    if (memory.reading.get().isFollowing) goToEnd()
    else list.current?.scrollToAnchor(memory.anchor.get())
  }, [list, goToEnd, memory])

  useEffect(() => {
    const view = scroller.current
    const ol = view?.querySelector('ol')
    if (view === null || ol === null || ol === undefined) return
    // Entries rendered above the anchor move it in browsers without scroll anchoring.
    const restoreAnchor = () => {
      if (!memory.reading.get().isFollowing) list.current?.restoreAnchor?.(memory.anchor.get())
    }
    let frame = 0
    // The virtual list measures new entries before the next frame.
    const scheduleUpdate = () => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => {
        restoreAnchor()
        updateReading()
      })
    }
    const sizes = new ResizeObserver(() => {
      if (memory.reading.get().isFollowing) goToEnd()
      restoreAnchor()
      scheduleUpdate()
    })
    sizes.observe(view)
    sizes.observe(ol)
    // The virtual list can replace entries without a change of any observed size.
    const entries = new MutationObserver(scheduleUpdate)
    entries.observe(ol, { childList: true })
    return () => {
      sizes.disconnect()
      entries.disconnect()
      cancelAnimationFrame(frame)
    }
  }, [scroller, list, goToEnd, updateReading, memory])

  return null
}
