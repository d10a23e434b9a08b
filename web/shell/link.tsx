import type { AnchorHTMLAttributes, MouseEvent, Ref } from 'react'
import { navigate } from './location.ts'

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  href: string
  ref?: Ref<HTMLAnchorElement>
}

/**
 * Returns whether a click is without modifier keys and by the main button. The browser handles other clicks, which open
 * a new tab or window, or download.
 */
const isPlainClick = (event: MouseEvent) =>
  event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)

/** Link to another screen, without a page load. */
export function Link({ href, onClick, children, ...anchor }: LinkProps) {
  const handleClick = (event: MouseEvent<HTMLAnchorElement>) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    onClick?.(event)
    navigate(href)
  }
  return (
    <a {...anchor} href={href} onClick={handleClick}>
      {children}
    </a>
  )
}
