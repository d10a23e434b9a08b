import { useEffect, useRef } from 'react'
import { savedScrollAnchor, usePath } from './location.ts'
import { restoreScrollAnchor } from './scroll-position.ts'

export const messageField = () => document.querySelector<HTMLTextAreaElement>('#main [name="message"]')

const content = () => document.getElementById('main')

export function focusMessageField() {
  messageField()?.focus()
}

/**
 * Ref callback of a control that can disappear while it has the focus, such as 'Try now' after a reconnect. Its removal
 * moves the focus to the message field, or to the content of a screen without one; otherwise the focus falls back to the
 * document, and a keyboard user starts at the top.
 */
export function passFocusOn(control: HTMLElement | null) {
  return () => {
    if (control !== null && document.activeElement === control) (messageField() ?? content())?.focus()
  }
}

/**
 * Focuses the new screen after a navigation, as after a page load, and restores the scroll position of its history
 * entry.
 */
export function RouteFocus() {
  const path = usePath()
  const shownPath = useRef(path)
  useEffect(() => {
    if (shownPath.current === path) return
    shownPath.current = path
    window.scrollTo(0, 0)
    content()?.focus({ preventScroll: true })
    const anchor = savedScrollAnchor()
    return anchor === undefined ? undefined : restoreScrollAnchor(anchor)
  }, [path])
  return null
}
