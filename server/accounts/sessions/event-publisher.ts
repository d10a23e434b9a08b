import { putNewest } from '../../base/newest-entries.ts'
import type { ClusterBus, ClusterEvent } from '../../bus/cluster-bus.ts'

const retryMs = 1_000
/** Maximum number of events that wait for the bus. Above it, the publisher evicts the oldest events. */
const maxPending = 20_000

/**
 * Publishes events in the background. While the bus is unavailable, the publisher retries them. Equal pending events
 * are published once.
 */
export function createEventPublisher(bus: Pick<ClusterBus, 'publish'>) {
  const pending = new Map<string, ClusterEvent>()
  let timer: NodeJS.Timeout | undefined
  let isPublishing = false
  let isStopped = false

  async function publishPending(): Promise<void> {
    if (isPublishing) return
    isPublishing = true
    clearTimeout(timer)
    try {
      for (const [key, event] of pending) {
        // The event is deleted before the call, because an equal event that is added during the call must be published
        // again.
        pending.delete(key)
        await bus.publish(event).catch((error: unknown) => {
          putNewest(pending, key, event, maxPending)
          throw error
        })
      }
    } catch {
      // The storage of the bus reports its own outage.
      if (!isStopped) timer = setTimeout(() => void publishPending(), retryMs).unref()
    } finally {
      isPublishing = false
    }
  }

  return {
    publish(events: readonly ClusterEvent[]): void {
      for (const event of events) putNewest(pending, JSON.stringify(event), event, maxPending)
      void publishPending()
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
