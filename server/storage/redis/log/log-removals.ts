import { removedText } from '../../../../contract/constants.ts'
import { type Removal, splitSeqs } from '../../../room/removals.ts'
import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { removalsKey } from './log-scripts.ts'

/** Maximum number of messages that one call removes. The call blocks Redis. */
const maxRemovedPerCall = 200

/** Decodes a reply to XRANGE or XREAD of the stream of removals. */
export function decodeRemovals(entries: RedisReply | undefined): Removal[] {
  return ((entries ?? []) as [string, string[]][]).map(([id, [, seqs = '']]) => ({
    removals: Number.parseInt(id, 10),
    seqs: seqs.split(',').map(Number),
  }))
}

/** Reads all removals that are kept. */
export const readRemovals = async (connection: RedisConnection, log: string): Promise<Removal[]> =>
  decodeRemovals(await connection.command(['XRANGE', removalsKey(log), '-', '+']))

/**
 * Removes messages in calls of limited size. `call` runs `removeScript`. Returns the removed seqs, and the number of
 * removals in the log after the last call.
 */
export async function removeInCalls(
  seqs: readonly number[],
  call: (args: readonly (string | number)[]) => Promise<RedisReply[]>,
): Promise<{ removals: number; removed: number[] }> {
  const removed: number[] = []
  let removals = 0
  for (const some of splitSeqs(seqs, maxRemovedPerCall)) {
    const [count, ...reply] = await call([JSON.stringify(removedText), ...some])
    removals = Number(count)
    for (const seq of reply) removed.push(Number(seq))
  }
  return { removals, removed }
}
