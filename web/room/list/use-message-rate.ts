import { useEffect, useState } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { idleRate, type MessageRate, updateRate } from './message-rate.ts'

const idleAfterMs = 1_000

/**
 * Returns the rate at which entries arrive. It is updated during rendering: an update in an effect would render each list
 * twice when the renderer changes.
 */
export function useMessageRate(list: MessageList): MessageRate {
  const [rate, setRate] = useState(() => idleRate(list))
  const [lastList, setLastList] = useState(list)
  if (lastList !== list) {
    setLastList(list)
    setRate(updateRate(rate, list))
  }

  useEffect(() => {
    const timer = window.setTimeout(() => setRate(idleRate(list)), idleAfterMs)
    return () => window.clearTimeout(timer)
  }, [list])

  return rate
}
