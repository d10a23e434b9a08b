import { useCallback, useSyncExternalStore } from 'react'
import { smallScreenBreakpointPx } from '../../contract/constants.ts'

function useMediaQuery(query: string, prerenderValue: boolean): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => prerenderValue,
  )
}

export function useWideScreen(): boolean {
  return useMediaQuery(`(width >= ${smallScreenBreakpointPx}px)`, true)
}
