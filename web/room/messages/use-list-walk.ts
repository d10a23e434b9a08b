import { type FocusEvent, type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react'
import { lastVisible } from './list-geometry.ts'

function indexOf(element: unknown): number | null {
  const item = element instanceof Element ? element.closest('li') : null
  const index = item?.dataset['index']
  return index === undefined ? null : Number(index)
}

function target(key: string, current: number | null, scroller: HTMLElement, length: number): number | null {
  switch (key) {
    case 'ArrowUp':
      return current === null ? lastVisible(scroller) : Math.max(0, current - 1)
    case 'ArrowDown':
      return current === null ? lastVisible(scroller) : Math.min(length - 1, current + 1)
    case 'Home':
      return 0
    case 'End':
      return length - 1
    default:
      return null
  }
}

/** Walks the entries one by one with the arrow keys, Home and End; each gets the focus, and so is read aloud. */
export function useListWalk(scroller: RefObject<HTMLElement | null>, length: number) {
  const [focused, setFocused] = useState<number | null>(null)

  useLayoutEffect(() => {
    if (focused === null) return
    scroller.current?.querySelector<HTMLElement>(`li[data-index="${focused}"]`)?.focus()
  }, [focused, scroller])

  return {
    focused,
    setFocused,
    walk: (event: KeyboardEvent) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || scroller.current === null) return
      const next = target(event.key, indexOf(document.activeElement), scroller.current, length)
      if (next === null) return
      event.preventDefault()
      setFocused(next)
    },
    leave: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget)) setFocused(null)
    },
  }
}
