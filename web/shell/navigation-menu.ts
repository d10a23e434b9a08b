import { type RefObject, useEffect, useState } from 'react'
import { useWideScreen } from '../ui/media-query.ts'

const focusable = 'a[href], button'

function keepFocusInside(event: KeyboardEvent, container: HTMLElement) {
  const stops = [...container.querySelectorAll<HTMLElement>(focusable)]
  const first = stops[0]
  const last = stops.at(-1)
  if (first === undefined || last === undefined) return
  const active = document.activeElement
  const leaves = event.shiftKey ? active === first : active === last
  if (!leaves && container.contains(active)) return
  event.preventDefault()
  ;(event.shiftKey ? last : first).focus()
}

export interface NavigationMenu {
  isOpen: boolean
  toggle: () => void
  close: () => void
}

/**
 * The collapsible menu of small screens. While it is open the keyboard stays in `container`, which holds the button
 * and the links; Escape, a press elsewhere and a wide window close it.
 */
export function useNavigationMenu(
  container: RefObject<HTMLElement | null>,
  button: RefObject<HTMLElement | null>,
): NavigationMenu {
  const [wanted, setWanted] = useState(false)
  const wide = useWideScreen()
  if (wide && wanted) setWanted(false)
  const isOpen = wanted && !wide

  useEffect(() => {
    if (!isOpen) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Tab' && container.current !== null) keepFocusInside(event, container.current)
      if (event.key === 'Escape') {
        setWanted(false)
        button.current?.focus()
      }
    }
    const onPointerDown = (event: PointerEvent) => {
      if (event.target instanceof Node && container.current?.contains(event.target) === false) setWanted(false)
    }
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('pointerdown', onPointerDown)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('pointerdown', onPointerDown)
    }
  }, [isOpen, container, button])

  return { isOpen, toggle: () => setWanted((before) => !before), close: () => setWanted(false) }
}
