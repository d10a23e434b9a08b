import { type RefObject, useEffect } from 'react'

/**
 * Keeps the focused input in view, with as much of its panel as fits. Acts when the input gets the focus, and when the
 * panel or one of its ancestors changes size, for example above an on-screen keyboard. Browsers scroll only once, on
 * focus, and only to the input itself.
 */
export function useKeepInView(panel: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = panel.current
    if (element === null) return
    const reveal = () => {
      const focused = document.activeElement
      // Reveal only fields: a button must not move away under the pointer that presses it.
      if (focused?.matches('input, textarea') !== true || !element.contains(focused)) return
      element.scrollIntoView({ block: 'end' })
      focused.scrollIntoView({ block: 'nearest' })
    }
    const observer = new ResizeObserver(reveal)
    // The panel and each of its ancestors may change size independently.
    for (let box: Element | null = element; box !== null; box = box.parentElement) observer.observe(box)
    element.addEventListener('focusin', reveal)
    return () => {
      observer.disconnect()
      element.removeEventListener('focusin', reveal)
    }
  }, [panel])
}
