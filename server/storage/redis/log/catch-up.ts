import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../../contract/messages.ts'
import { canPlace, lastSeqUpTo } from '../../../room/lineage.ts'
import { RedisError } from '../redis-error.ts'
import type { LogState } from './log-state.ts'

const pollIntervalMs = 20

interface CatchUpDeps {
  state: LogState
  /** Reads the newest position of the log. Rejects while Redis is unavailable, or holds another log. */
  fetchNewest: () => Promise<{ removals: number }>
  /** Maximum time for the reader to deliver stored messages and removals. */
  maxLagMs: number
}

/** Creates the functions that wait until this node has received what another node, or Redis, already has. */
export function createCatchUp({ state, fetchNewest, maxLagMs }: CatchUpDeps) {
  async function waitFor(isDelivered: () => boolean): Promise<void> {
    const { epoch } = state.bounds()
    const giveUpAtMs = performance.now() + maxLagMs
    while (state.bounds().epoch === epoch && !isDelivered()) {
      if (performance.now() > giveUpAtMs)
        throw new RedisError('This node did not read the newest messages or removals from Redis in time.')
      await sleep(pollIntervalMs)
    }
  }

  const isReached = (cursor: Cursor) =>
    canPlace(cursor, state.line()) && (cursor.removals ?? 0) <= state.removals.count()

  async function catchUpWith(cursor: Cursor): Promise<void> {
    // An error of `fetchNewest` rejects the call. If the client started at this node's head instead, it could receive
    // messages a second time.
    const newest = await fetchNewest()
    // The node does not wait for messages or removals that the log does not have.
    const seq = Math.min(lastSeqUpTo(cursor, state.line().lineage) ?? 0, state.knownHead())
    const removals = Math.min(cursor.removals ?? 0, newest.removals)
    await waitFor(() => state.bounds().head >= seq && state.removals.count() >= removals)
  }

  return {
    waitFor,
    /** Waits for a position as `MessageLog` describes. */
    catchUp: (cursor: Cursor): Promise<void> | null => (isReached(cursor) ? null : catchUpWith(cursor)),
  }
}
