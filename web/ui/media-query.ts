import { useSyncExternalStore } from 'react'
import { smallScreenBreakpointPx } from '../../contract/constants.ts'

const query = `(width >= ${smallScreenBreakpointPx}px)`

function subscribe(listener: () => void) {
  const list = window.matchMedia(query)
  list.addEventListener('change', listener)
  return () => list.removeEventListener('change', listener)
}

export function useWideScreen(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => true,
  )
}
