import { type RefObject, useEffect, useState } from 'react'
import { useWideScreen } from '../ui/media-query.ts'

const focusable = 'a[href], button'

function trapFocus(event: KeyboardEvent, container: HTMLElement) {
  const elements = [...container.querySelectorAll<HTMLElement>(focusable)]
  const first = elements[0]
  const last = elements.at(-1)
  if (first === undefined || last === undefined) return
  const active = document.activeElement
  const isLeaving = event.shiftKey ? active === first : active === last
  if (!isLeaving && container.contains(active)) return
  event.preventDefault()
  ;(event.shiftKey ? last : first).focus()
}

export interface NavigationMenu {
  isOpen: boolean
  toggle: () => void
  close: () => void
}

/**
 * Returns the state of the collapsible menu on small screens. While the menu is open, Tab stays in `container`, which
 * contains the button and the links. Escape, a press outside and a wide window close the menu.
 */
export function useNavigationMenu(
  container: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
): NavigationMenu {
  const [isRequested, setIsRequested] = useState(false)
  const isWide = useWideScreen()
  if (isWide && isRequested) setIsRequested(false)
  const isOpen = isRequested && !isWide

  useEffect(() => {
    if (!isOpen) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Tab' && container.current !== null) trapFocus(event, container.current)
      if (event.key === 'Escape') {
        setIsRequested(false)
        button.current?.focus()
      }
    }
    const onPointerDown = (event: PointerEvent) => {
      if (event.target instanceof Node && container.current?.contains(event.target) === false) setIsRequested(false)
    }
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('pointerdown', onPointerDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('pointerdown', onPointerDown)
    }
  }, [isOpen, container, button])

  return { isOpen, toggle: () => setIsRequested((before) => !before), close: () => setIsRequested(false) }
}
