import { type RefObject, useEffect } from 'react'

/**
 * Keeps what somebody types into in view, with as much of its panel as fits: when it gets the focus, when a keyboard
 * takes half of the screen, when the panel grows. Browsers look after it only once, and only for the field itself.
 */
export function useKeepInView(panel: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = panel.current
    if (element === null) return
    const reveal = () => {
      const focused = document.activeElement
      // A button that is pressed must not move away under the pointer.
      if (!(focused instanceof HTMLInputElement) || !element.contains(focused)) return
      element.scrollIntoView({ block: 'end' })
      focused.scrollIntoView({ block: 'nearest' })
    }
    const observer = new ResizeObserver(reveal)
    // The panel, what holds it, and what shows it: any of them may grow or shrink alone.
    for (let box: Element | null = element; box !== null; box = box.parentElement) observer.observe(box)
    element.addEventListener('focusin', reveal)
    return () => {
      observer.disconnect()
      element.removeEventListener('focusin', reveal)
    }
  }, [panel])
}
