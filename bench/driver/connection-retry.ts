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

/** Opens a connection and retries, as real clients do, while a busy server rejects it. Reports each rejection. */
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
