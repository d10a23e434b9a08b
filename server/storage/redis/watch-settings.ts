import type { Report } from '../../observe/events.ts'
import type { Retention } from '../../room/message-log.ts'
import { RedisError } from './redis-error.ts'
import type { RedisLink } from './redis-link.ts'
import { findWeaknesses } from './server-facts.ts'

const checkEveryMs = 5_000
/** Key of the retention of the node that started last. */
const retentionKey = '{room}:retention'

/** Reports when the durability settings of Redis change, by a restart with other settings or by CONFIG SET. */
export function watchDurability(
  link: RedisLink,
  weaknessesAtStart: readonly string[],
  report: Report,
  everyMs = checkEveryMs,
) {
  let known = weaknessesAtStart.join()

  async function check(): Promise<void> {
    try {
      const weaknesses = await findWeaknesses(await link.connection())
      if (weaknesses.join() === known) return
      known = weaknesses.join()
      report({ type: 'redis-durability-changed', weaknesses })
    } catch (error) {
      // The message log reports the outage.
      if (!(error instanceof RedisError)) throw error
    }
  }

  const timer = setInterval(() => void check(), everyMs).unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Reports when the node that started before has another retention. Each node trims the log, so the smallest
 * retention applies.
 */
export async function compareRetention(
  link: RedisLink,
  { maxAgeMs, maxMessages }: Retention,
  report: Report,
): Promise<void> {
  const own = `RETENTION_HOURS=${maxAgeMs / 3_600_000} RETENTION_MESSAGES=${maxMessages}`
  const connection = await link.connection()
  const other = await connection.command(['SET', retentionKey, own, 'GET'])
  if (typeof other === 'string' && other !== own) report({ type: 'retention-differs', own, other })
}
