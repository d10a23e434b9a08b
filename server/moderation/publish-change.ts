import type { ClusterBus } from '../bus/cluster-bus.ts'
import type { ModerationState } from './moderation-state.ts'

const retryMs = 1_000

/** Makes stored changes effective: on this node at once, on the others as soon as the bus is available. */
export function createChangePublisher(state: Pick<ModerationState, 'reload'>, bus: Pick<ClusterBus, 'publish'>) {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  async function publishToBus(): Promise<void> {
    clearTimeout(timer)
    try {
      await bus.publish({ kind: 'moderation-changed' })
    } catch {
      // The storage of the bus reports its own outage. Another call may have failed at the same time.
      clearTimeout(timer)
      if (!isStopped) timer = setTimeout(() => void publishToBus(), retryMs).unref()
    }
  }

  return {
    /**
     * Reloads the state of this node and publishes the change. Resolves after the first attempt of each part. A part that
     * fails is retried in the background.
     */
    async publish(): Promise<void> {
      // A failed reload needs no retry here: this node also receives the event, and then reloads until that succeeds.
      await Promise.all([state.reload().catch(() => undefined), publishToBus()])
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
