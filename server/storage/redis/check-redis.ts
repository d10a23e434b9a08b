import { setTimeout as sleep } from 'node:timers/promises'
import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'
import { openRedisConnection } from './redis-connection.ts'
import { stateKey } from './log/log-scripts.ts'
import { RedisTimeoutError } from './redis-error.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

/** Time in which a start tries again if Redis does not respond in time, for example on a busy machine, or loads its data. */
const maxStartMs = 10_000
const loadingRetryMs = 200

export interface RedisRequirements {
  url: string
  durability: 'strict' | 'relaxed'
}

/**
 * Checks the Redis server at the start. Throws one line that names the setting, without the password. Returns the
 * settings that weaken the durability.
 */
export async function checkRedis({ url, durability }: RedisRequirements, report: Report): Promise<readonly string[]> {
  const address = redisAddress(url)
  const facts = await readFacts(url).catch((error: unknown) => {
    throw new StartError(
      `REDIS_URL: ${address} cannot be used (${error instanceof Error ? error.message : 'no reply'})`,
    )
  })
  if (facts.isTooOld) throw new StartError(`REDIS_URL: ${address} runs Redis ${facts.version}; 7 or newer is required`)
  if (facts.isReplica) throw new StartError(`REDIS_URL: ${address} is a replica; use the address of its primary`)
  const { weaknesses } = facts
  if (weaknesses.length === 0) return weaknesses
  if (durability === 'strict') {
    throw new StartError(
      `REDIS_URL: ${address} may lose acknowledged messages: it must have appendonly yes, appendfsync always, no-appendfsync-on-rewrite no and maxmemory-policy noeviction, and has ${weaknesses.join(', ')} (REDIS_DURABILITY=relaxed starts all the same)`,
    )
  }
  report({ type: 'redis-not-durable', server: address, weaknesses })
  return weaknesses
}

async function readFacts(url: string, giveUpAtMs = performance.now() + maxStartMs): Promise<ServerFacts> {
  try {
    const connection = await openRedisConnection(url, 'chat-room-start')
    try {
      const facts = await readServerFacts(connection)
      // While Redis loads its data, it describes itself, but rejects commands on keys.
      if (!facts.isReplica) await connection.command(['EXISTS', stateKey])
      return facts
    } finally {
      connection.close()
    }
  } catch (error) {
    const isLoading = error instanceof Error && error.message.startsWith('LOADING ')
    if (!(isLoading || error instanceof RedisTimeoutError) || performance.now() > giveUpAtMs) throw error
    if (isLoading) await sleep(loadingRetryMs)
    return readFacts(url, giveUpAtMs)
  }
}
