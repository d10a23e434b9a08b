import { useEffect, useState } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { idleRate, type MessageRate, updateRate } from './message-rate.ts'

const idleAfterMs = 1_000

/**
 * How fast entries come. Found out while they are drawn, not after: what has just been drawn in one way would at once be
 * drawn in another.
 */
export function useMessageRate(list: MessageList): MessageRate {
  const [rate, setRate] = useState(() => idleRate(list))
  const [seen, setSeen] = useState(list)
  if (seen !== list) {
    setSeen(list)
    setRate(updateRate(rate, list))
  }

  useEffect(() => {
    const timer = window.setTimeout(() => setRate(idleRate(list)), idleAfterMs)
    return () => window.clearTimeout(timer)
  }, [list])

  return rate
}
