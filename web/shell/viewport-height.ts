import { useEffect } from 'react'

/**
 * Keeps the app inside what is really visible. Browsers that know `interactive-widget` shrink the page for an on-screen
 * keyboard by themselves; the others only tell it here, and would let the keyboard cover the composer.
 */
export function useViewportHeight() {
  useEffect(() => {
    const viewport = window.visualViewport
    if (viewport === null) return
    const fit = () => {
      const { style, clientHeight } = document.documentElement
      if (viewport.scale === 1 && viewport.height < clientHeight - 1) {
        style.setProperty('--visible-height', `${viewport.height}px`)
        window.scrollTo(0, 0)
      } else {
        style.removeProperty('--visible-height')
      }
    }
    fit()
    viewport.addEventListener('resize', fit)
    return () => viewport.removeEventListener('resize', fit)
  }, [])
}
