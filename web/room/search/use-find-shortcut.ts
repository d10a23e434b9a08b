import { useEffect } from 'react'

const isMac = /^(?:Mac|iP)/.test(navigator.platform)

/**
 * Calls `onFind` on the shortcut of find-in-page, or focuses the field of an open search. The browser's own search finds
 * only entries that are in the document.
 */
export function useFindShortcut(isNeeded: boolean, onFind: () => void) {
  useEffect(() => {
    if (!isNeeded) return
    const onKeyDown = (event: KeyboardEvent) => {
      const hasModifier = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey
      if (!hasModifier || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'f') return
      // A modal dialog makes the list inert. An input method handles the keys of a composition itself.
      if (event.isComposing || document.querySelector('dialog[open]') !== null) return
      // In the search bar, the shortcut opens the browser's own search.
      if (event.target instanceof Element && event.target.closest('[role="search"]') !== null) return
      event.preventDefault()
      const field = document.querySelector<HTMLElement>('[role="search"] input')
      if (field === null) onFind()
      else field.focus()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [isNeeded, onFind])
}
