import { putNewest } from '../../base/newest-entries.ts'
import type { ClusterBus } from '../../bus/cluster-bus.ts'

const retryMs = 1_000
/** Maximum number of revocations that wait for the bus. Above it, the oldest are evicted. */
const maxPending = 20_000

/** Publishes revocations in the background. While the bus is unavailable, it retries them. */
export function createRevocationPublisher(bus: Pick<ClusterBus, 'publish'>) {
  const pending = new Map<string, true>()
  let timer: NodeJS.Timeout | undefined
  let isPublishing = false
  let isStopped = false

  async function publishPending(): Promise<void> {
    if (isPublishing) return
    isPublishing = true
    clearTimeout(timer)
    try {
      for (const tokenHash of pending.keys()) {
        await bus.publish({ kind: 'token-revoked', tokenHash })
        pending.delete(tokenHash)
      }
    } catch {
      // The storage of the bus reports its own outage.
      if (!isStopped) timer = setTimeout(() => void publishPending(), retryMs).unref()
    } finally {
      isPublishing = false
    }
  }

  return {
    publish(tokenHashes: readonly string[]): void {
      for (const tokenHash of tokenHashes) putNewest(pending, tokenHash, true, maxPending)
      void publishPending()
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
