import { useEffect } from 'react'

/**
 * Limits the height of the app to the visual viewport. Browsers that support `interactive-widget` resize the page for an
 * on-screen keyboard themselves; in others the keyboard would cover the composer.
 */
export function useViewportHeight() {
  useEffect(() => {
    const viewport = window.visualViewport
    if (viewport === null) return
    const updateHeight = () => {
      const { style, clientHeight } = document.documentElement
      if (viewport.scale === 1 && viewport.height < clientHeight - 1) {
        style.setProperty('--visible-height', `${viewport.height}px`)
        window.scrollTo(0, 0)
      } else {
        style.removeProperty('--visible-height')
      }
    }
    updateHeight()
    viewport.addEventListener('resize', updateHeight)
    return () => viewport.removeEventListener('resize', updateHeight)
  }, [])
}
