import type { Logger } from 'pino'
import { StartError } from '../../base/start-error.ts'
import { openRedisConnection, type RedisConnection } from './redis-connection.ts'
import { redisAddress } from '../../config/redis-url.ts'
import { readServerFacts, type ServerFacts } from './server-facts.ts'

export interface RedisDemands {
  url: string
  durability: 'strict' | 'relaxed'
}

/** Checks the Redis server at the start. Throws one line that names the setting, without the password. */
export async function demandRedis({ url, durability }: RedisDemands, log: Logger): Promise<void> {
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
  const weakness = `${place} may lose what was acknowledged: it has to have appendonly yes, appendfsync always, no-appendfsync-on-rewrite no and maxmemory-policy noeviction, and has ${facts.weaknesses.join(', ')}`
  if (durability === 'strict') {
    throw new StartError(`REDIS_URL: ${weakness} (REDIS_DURABILITY=relaxed starts all the same)`)
  }
  log.warn({ weaknesses: facts.weaknesses }, `REDIS_DURABILITY=relaxed: ${weakness}`)
}
