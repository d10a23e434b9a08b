import { setTimeout as sleep } from 'node:timers/promises'
import type { MessageLog } from '../message-log.ts'
import type { RequestedPosition } from './subscriber.ts'

/** Time after which the search ends. The server then closes the connection, so that the client can connect to another node. */
const timeoutMs = 10_000
const retryMs = 200

/**
 * Returns the start position of a client without a cursor; `null` when the log stays unavailable until the timeout, or
 * when the client no longer waits. Call this function before the client is connected: the client must receive all later
 * messages, and may have received all earlier messages from another node.
 */
export async function findNewcomerPosition(
  log: Pick<MessageLog, 'fetchHead' | 'removals'>,
  isWaiting: () => boolean,
): Promise<RequestedPosition | null> {
  const deadlineMs = performance.now() + timeoutMs
  while (isWaiting() && performance.now() < deadlineMs) {
    try {
      const head = await log.fetchHead()
      return head === null ? 'head' : { ...head, removals: log.removals().count() }
    } catch {
      // The room reports that the log is unavailable.
      await sleep(retryMs)
    }
  }
  return null
}
