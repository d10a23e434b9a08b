import { removedText } from '../../../../contract/moderation.ts'
import { type Removal, splitSeqs } from '../../../room/removals.ts'
import type { RedisConnection, RedisReply } from '../redis-connection.ts'
import { runScript } from '../redis-script.ts'
import { removalsKey, stateKey } from './log-scripts.ts'
import { rewrittenScript } from './removal-scripts.ts'

/** Maximum number of messages that one call removes. The call blocks Redis. */
const maxRemovedPerCall = 200
const minRewriteIntervalMs = '60000'
const rewriteLockKey = '{room}:rewrite'

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

/** Removes messages in calls of limited size. `call` runs `removeScript`. Returns the number of removals and the seqs. */
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

/**
 * Rewrites the files of Redis, which still hold the texts of removed messages, and empties its slow log. Only one node
 * does it, at most once a minute. `erased` is the number of the newest removal that no rewrite has covered.
 */
export async function rewriteFiles(connection: RedisConnection, erased: string): Promise<void> {
  const isDue = await connection.command(['SET', rewriteLockKey, '1', 'NX', 'PX', minRewriteIntervalMs])
  if (isDue === null) return
  await connection.command(['BGREWRITEAOF'])
  // A managed Redis may not allow these commands.
  const tryCommand = (...words: string[]) => connection.command(words).catch(() => null)
  const savePoints = await tryCommand('CONFIG', 'GET', 'save')
  if (Array.isArray(savePoints) && savePoints[1] !== '') await tryCommand('BGSAVE', 'SCHEDULE')
  await tryCommand('SLOWLOG', 'RESET')
  await runScript(connection, rewrittenScript, [stateKey], [erased])
}
