import { useEffect, useRef } from 'react'
import { savedScrollAnchor, usePath } from './location.ts'
import { restoreScrollAnchor } from './scroll-position.ts'

/** Who has just logged in came to talk. */
export function focusMessageField() {
  document.querySelector<HTMLInputElement>('#main input[name="message"]')?.focus()
}

/**
 * After a move inside the app, the keyboard and the screen reader start at the new screen, as after a page load; one
 * that was left scrolled and is come back to is found as it was.
 */
export function RouteFocus() {
  const path = usePath()
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    window.scrollTo(0, 0)
    document.getElementById('main')?.focus({ preventScroll: true })
    const place = savedScrollAnchor()
    return place === undefined ? undefined : restoreScrollAnchor(place)
  }, [path])
  return null
}
