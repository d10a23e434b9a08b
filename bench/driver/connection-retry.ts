import { setTimeout as wait } from 'node:timers/promises'
import { nowMs } from './clock.ts'
import {
  type Connection,
  type ConnectionEvents,
  type Endpoint,
  isRejectedAsBusy,
  openConnection,
} from './connection.ts'

const retryAfterMs = 300
const giveUpAfterMs = 60_000

/** Opens a connection. While the server rejects it as busy, reports each rejection and retries for up to a minute. */
export async function openWithRetry(
  index: number,
  endpoint: Endpoint,
  events: ConnectionEvents,
  onRejected?: () => void,
): Promise<Connection> {
  const deadlineMs = nowMs() + giveUpAfterMs
  for (;;) {
    try {
      return await openConnection(index, endpoint, events)
    } catch (error) {
      if (!isRejectedAsBusy(error) || nowMs() > deadlineMs) throw error
      onRejected?.()
      await wait(retryAfterMs)
    }
  }
}
