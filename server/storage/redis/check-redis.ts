import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'
import { openRedisConnection } from './redis-connection.ts'
import { stateKey } from './log/log-scripts.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { retryAtStart } from './retry-at-start.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

interface RedisRequirements {
  url: string
  durability: 'strict' | 'relaxed'
}

/**
 * Checks the Redis server at the start. Returns the settings that weaken the durability, and reports them. Throws a
 * `StartError` of one line, without the password, if the server cannot be used.
 */
export async function checkRedis({ url, durability }: RedisRequirements, report: Report): Promise<readonly string[]> {
  const address = redisAddress(url)
  const facts = await retryAtStart(url, () => readFacts(url))
  if (facts.isTooOld)
    throw new StartError(`REDIS_URL: ${address} runs Redis ${facts.version}; upgrade it to 7 or newer`)
  if (facts.isReplica) throw new StartError(`REDIS_URL: ${address} is a replica; use the address of its primary`)
  const { weaknesses } = facts
  if (weaknesses.length === 0) return weaknesses
  if (durability === 'strict') {
    throw new StartError(
      `REDIS_URL: ${address} may lose acknowledged messages: it has ${weaknesses.join(', ')}; set appendonly yes, appendfsync always, no-appendfsync-on-rewrite no and maxmemory-policy noeviction, and allow CONFIG GET, or set REDIS_DURABILITY=relaxed to accept the risk`,
    )
  }
  report({ type: 'redis-not-durable', server: address, weaknesses })
  return weaknesses
}

async function readFacts(url: string): Promise<ServerFacts> {
  const connection = await openRedisConnection(url, 'chat-room-start')
  try {
    const facts = await readServerFacts(connection)
    // While Redis loads its data, it responds to INFO and CONFIG GET, but rejects commands on keys.
    if (!facts.isReplica) await connection.command(['EXISTS', stateKey])
    return facts
  } finally {
    connection.close()
  }
}
