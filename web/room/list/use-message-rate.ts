import { useEffect, useState } from 'react'
import type { MessageList } from '../../connection/receive/message-buffer.ts'
import { calmFlow, type Flow, flowAt } from './message-rate.ts'

const calmAfterMs = 1_000

/**
 * How fast entries come. Found out while they are drawn, not after: what has just been drawn in one way would at once be
 * drawn in another.
 */
export function useFlow(list: MessageList): Flow {
  const [flow, setFlow] = useState(() => calmFlow(list))
  const [seen, setSeen] = useState(list)
  if (seen !== list) {
    setSeen(list)
    setFlow(flowAt(flow, list))
  }

  useEffect(() => {
    const timer = window.setTimeout(() => setFlow(calmFlow(list)), calmAfterMs)
    return () => window.clearTimeout(timer)
  }, [list])

  return flow
}
