import { useState, useSyncExternalStore } from 'react'
import { useMessages } from '../connection/hooks.ts'

function subscribe(listener: () => void) {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

function useHidden(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => document.visibilityState === 'hidden',
    () => false,
  )
}

/** How many messages have come since the page was last looked at. */
export function useUnreadWhileHidden(): number {
  const hidden = useHidden()
  const { receivedCount } = useMessages()
  const [hiddenSince, setHiddenSince] = useState<number | null>(null)
  if (hidden && hiddenSince === null) setHiddenSince(receivedCount)
  if (!hidden && hiddenSince !== null) setHiddenSince(null)
  return hidden && hiddenSince !== null ? receivedCount - hiddenSince : 0
}
