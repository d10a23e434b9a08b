import type { HTMLAttributes, Ref } from 'react'

interface ScrollRegionProps extends HTMLAttributes<HTMLElement> {
  'aria-labelledby': string
  ref?: Ref<HTMLElement>
}

/** Scrollable section with keyboard focus. Not every browser makes scroll containers focusable. */
export function ScrollRegion(props: ScrollRegionProps) {
  return <section {...props} tabIndex={0} />
}
