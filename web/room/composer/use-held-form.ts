import { type RefObject, useEffect } from 'react'

/** Events that end a press, with or without a click. The browser fires no `mouseup` after a drag or for some menus. */
const endEvents = ['mouseup', 'dragend', 'contextmenu', 'pointercancel'] as const

/**
 * Keeps the layout of the composer during a press. On a low screen, the layout depends on the focus, which moves when a
 * press starts. The page would move under the pointer, and the click would miss its target. On touch screens, the
 * browser fires the mouse events of a press at the end of the tap.
 */
export function useHeldForm(panel: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const hold = () => {
      const element = panel.current
      const focused = document.activeElement
      if (element === null || focused === null) return
      const isWriting = focused.matches('.send-panel :is(textarea, .composer-send)')
      element.dataset['held'] = isWriting ? 'writing' : element.contains(focused) ? 'focused' : 'idle'
    }
    const release = () => panel.current?.removeAttribute('data-held')
    // The browser dispatches a click right after `mouseup`, before any timer.
    const releaseAfterClick = () => window.setTimeout(release)
    document.addEventListener('mousedown', hold, true)
    // The click already has its target, so the layout can change. The handlers of the click, such as a jump in the list,
    // use the new layout.
    document.addEventListener('click', release, true)
    for (const type of endEvents) document.addEventListener(type, releaseAfterClick, true)
    return () => {
      document.removeEventListener('mousedown', hold, true)
      document.removeEventListener('click', release, true)
      for (const type of endEvents) document.removeEventListener(type, releaseAfterClick, true)
    }
  }, [panel])
}
