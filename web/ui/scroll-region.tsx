import type { HTMLAttributes, Ref } from 'react'

interface ScrollRegionProps extends HTMLAttributes<HTMLElement> {
  'aria-labelledby': string
  ref?: Ref<HTMLElement>
}

/** What scrolls must be reachable without a mouse, in every browser. */
const reachable = { tabIndex: 0 }

export function ScrollRegion(props: ScrollRegionProps) {
  return <section {...props} {...reachable} />
}
