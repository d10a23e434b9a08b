import { useLayoutEffect, useRef } from 'react'
import { routes } from '../../contract/routes.ts'
import { savedScrollAnchor, usePath } from './location.ts'
import { restoreScrollAnchor } from './scroll-position.ts'

export const messageField = () => document.querySelector<HTMLTextAreaElement>('#main [name="message"]')

const content = () => document.getElementById('main')

/** Focuses the message field, or waits for it while the room is not shown yet, for example because its code is loading. */
export function focusMessageField() {
  const field = messageField()
  const main = content()
  if (field !== null) field.focus()
  else if (main !== null) focusFieldWhenShown(main)
}

/** Focuses the message field when it appears, unless the user has moved the focus or left the room meanwhile. */
function focusFieldWhenShown(main: HTMLElement): void {
  main.focus({ preventScroll: true })
  const observer = new MutationObserver(() => {
    const field = messageField()
    if (field === null && window.location.pathname === routes.room) return
    observer.disconnect()
    if (document.activeElement === main || document.activeElement === document.body) field?.focus()
  })
  observer.observe(main, { childList: true, subtree: true })
}

/**
 * Ref callback of a control that can disappear while it has the focus, such as 'Try now' after a reconnect. When the
 * control is removed, the focus moves to the message field, or to the content of a screen without this field. By
 * default, the focus would move to the document, and a keyboard user would start at the top.
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
  // A layout effect runs before the observer of `focusMessageField`, which can then move the focus again.
  useLayoutEffect(() => {
    if (shownPath.current === path) return
    shownPath.current = path
    window.scrollTo(0, 0)
    content()?.focus({ preventScroll: true })
    const anchor = savedScrollAnchor()
    return anchor === undefined ? undefined : restoreScrollAnchor(anchor)
  }, [path])
  return null
}
