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
      // The storage of the bus reports its own outage.
      if (!isStopped) timer = setTimeout(() => void publishToBus(), retryMs).unref()
    }
  }

  return {
    /**
     * Publishes a change. Resolves when the change is effective on this node and published. A part that fails is retried in
     * the background.
     */
    async publish(): Promise<void> {
      // A failed reload is repeated: this node receives the event too.
      await Promise.all([state.reload().catch(() => undefined), publishToBus()])
    },
    stop(): void {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
