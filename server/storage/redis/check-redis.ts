import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'
import { openRedisConnection } from './redis-connection.ts'
import { RedisTimeoutError } from './redis-error.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

/** Maximum number of attempts of a start to reach a Redis that does not respond in time, for example on a busy machine. */
const startAttempts = 4

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

async function readFacts(url: string, attempt = 1): Promise<ServerFacts> {
  try {
    const connection = await openRedisConnection(url, 'chat-room-start')
    return await readServerFacts(connection).finally(() => connection.close())
  } catch (error) {
    if (!(error instanceof RedisTimeoutError) || attempt === startAttempts) throw error
    return readFacts(url, attempt + 1)
  }
}
