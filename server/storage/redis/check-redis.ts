import type { Report } from '../../observe/events.ts'
import { StartError } from '../../base/start-error.ts'
import { openRedisConnection, type RedisConnection } from './redis-connection.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

export interface RedisRequirements {
  url: string
  durability: 'strict' | 'relaxed'
}

/** Checks the Redis server at the start. Throws one line that names the setting, without the password. */
export async function checkRedis({ url, durability }: RedisRequirements, report: Report): Promise<void> {
  const place = redisAddress(url)
  let connection: RedisConnection | null = null
  let facts: ServerFacts
  try {
    connection = await openRedisConnection(url, 'chat-room-start')
    facts = await readServerFacts(connection)
  } catch (error) {
    throw new StartError(`REDIS_URL: ${place} cannot be used (${error instanceof Error ? error.message : 'no answer'})`)
  } finally {
    connection?.close()
  }
  if (facts.isTooOld) throw new StartError(`REDIS_URL: ${place} runs Redis ${facts.version}; it has to be 7 or newer`)
  if (facts.isReplica) throw new StartError(`REDIS_URL: ${place} is a replica; name the server that it follows`)
  if (facts.weaknesses.length === 0) return
  const { weaknesses } = facts
  if (durability === 'strict') {
    throw new StartError(
      `REDIS_URL: ${place} may lose what was acknowledged: it has to have appendonly yes, appendfsync always, no-appendfsync-on-rewrite no and maxmemory-policy noeviction, and has ${weaknesses.join(', ')} (REDIS_DURABILITY=relaxed starts all the same)`,
    )
  }
  report({ type: 'redis-not-durable', server: place, weaknesses })
}
