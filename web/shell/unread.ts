import { useState, useSyncExternalStore } from 'react'
import { useMessages } from '../connection/hooks.ts'

function subscribe(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

function useIsHidden(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.visibilityState === 'hidden',
    () => false,
  )
}

/** Returns the number of messages received since the page was hidden; 0 on a visible page. */
export function useUnreadWhileHidden(): number {
  const isHidden = useIsHidden()
  const { receivedCount } = useMessages()
  const [countWhenHidden, setCountWhenHidden] = useState<number | null>(null)
  if (isHidden && countWhenHidden === null) setCountWhenHidden(receivedCount)
  if (!isHidden && countWhenHidden !== null) setCountWhenHidden(null)
  return isHidden && countWhenHidden !== null ? receivedCount - countWhenHidden : 0
}
