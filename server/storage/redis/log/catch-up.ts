import { setTimeout as sleep } from 'node:timers/promises'
import type { Cursor } from '../../../../contract/messages.ts'
import { isComparable, canPlace, lastSeqUpTo } from '../../../room/lineage.ts'
import { RedisError } from '../redis-error.ts'
import type { LogState } from './log-state.ts'

const pollIntervalMs = 20

interface CatchUpDeps {
  state: LogState
  /** Reads the bounds of the log from Redis into the state. Rejects while Redis is unavailable, or holds another log. */
  fetchNewest: () => Promise<unknown>
  /** Maximum time until the reader must deliver what is stored. */
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

  const hasMessages = (cursor: Cursor) => canPlace(cursor, state.line())
  const hasRemovals = ({ removals = 0 }: Cursor) => removals <= state.removals.count()

  async function catchUpWithMessages(cursor: Cursor): Promise<void> {
    // The term or epoch of the cursor is lost, or newer than those of this node. If it is newer, `fetchNewest` rejects
    // until this node adopts the newer log.
    if (!isComparable(cursor, state.line().lineage)) await fetchNewest()
    const seq = lastSeqUpTo(cursor, state.line().lineage)
    if (seq === null) return
    // `fetchNewest` rejects while Redis is unavailable. Starting the client at this node's head would deliver messages a
    // second time.
    if (state.knownHead() < seq) await fetchNewest()
    if (state.knownHead() >= seq) await waitFor(() => state.bounds().head >= seq)
  }

  /** Waits until this node has received the removals of a cursor. Does not wait for removals that the log does not have. */
  async function catchUpWithRemovals(cursor: Cursor): Promise<void> {
    const { epoch, removals = 0 } = cursor
    if (epoch !== state.bounds().epoch || hasRemovals(cursor)) return
    if (removals > state.knownRemovals()) await fetchNewest()
    if (removals <= state.knownRemovals()) await waitFor(() => hasRemovals(cursor))
  }

  async function catchUpWith(cursor: Cursor): Promise<void> {
    if (!hasMessages(cursor)) await catchUpWithMessages(cursor)
    await catchUpWithRemovals(cursor)
  }

  return {
    waitFor,
    /** Waits for a position as `MessageLog` describes. */
    catchUp: (cursor: Cursor): Promise<void> | null =>
      hasMessages(cursor) && hasRemovals(cursor) ? null : catchUpWith(cursor),
  }
}
