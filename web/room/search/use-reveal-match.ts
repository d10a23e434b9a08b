import { type RefObject, useEffect, useLayoutEffect } from 'react'
import { entryElement } from '../list/list-geometry.ts'
import { matchRanges } from './use-highlight.ts'

/** Scrolls so that the top of an entry is `offsetPx` above the top of the list. */
type ScrollToKey = (key: number, offsetPx: number) => void

/** Scrolls to the text of the match, unless this text is in view: a long message can be higher than the screen. */
function reveal(view: HTMLElement, key: number, pattern: RegExp, scrollToKey: ScrollToKey) {
  const item = entryElement(view, key)
  const match = item === null ? undefined : matchRanges(item, pattern)[0]?.getBoundingClientRect()
  const { top, bottom } = view.getBoundingClientRect()
  if (match !== undefined && match.top >= top && match.bottom <= bottom) return
  const itemTop = item?.getBoundingClientRect().top ?? 0
  scrollToKey(key, (match?.top ?? itemTop) - itemTop - view.clientHeight / 3)
}

/** Brings a match into view when it becomes the current one, and when the list becomes lower, as above a keyboard. */
export function useRevealMatch(
  scroller: RefObject<HTMLElement | null>,
  key: number | null,
  pattern: RegExp | null,
  scrollToKey: ScrollToKey,
) {
  useLayoutEffect(() => {
    if (scroller.current !== null && key !== null && pattern !== null) {
      reveal(scroller.current, key, pattern, scrollToKey)
    }
  }, [scroller, key, pattern, scrollToKey])

  useEffect(() => {
    const view = scroller.current
    if (view === null || key === null || pattern === null) return
    let height = view.clientHeight
    const sizes = new ResizeObserver(() => {
      if (view.clientHeight < height) reveal(view, key, pattern, scrollToKey)
      height = view.clientHeight
    })
    sizes.observe(view)
    return () => sizes.disconnect()
  }, [scroller, key, pattern, scrollToKey])
}
