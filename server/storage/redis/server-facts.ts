import type { RedisConnection, RedisReply } from './redis-connection.ts'

/**
 * Oldest supported major release. From 7 on, with `appendfsync always`, Redis sends no reply and serves no read of a write
 * before fsync. CONFIG GET accepts several names only from 7 on.
 */
const oldestMajor = 7

/** Settings of Redis that preserve acknowledged messages after a crash. */
const requiredSettings = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
} as const

/** Properties of the server behind a connection. */
export interface ServerFacts {
  /** Id that changes with each start and each promotion of the server. */
  run: string
  version: string
  isTooOld: boolean
  /** Whether the server replicates another server. */
  isReplica: boolean
  /** Whether the server was a replica before. Writes that were not replicated to it are lost. */
  wasPromoted: boolean
  /** Settings without the required value, as `name value`. */
  weaknesses: readonly string[]
}

export async function readServerFacts(connection: RedisConnection): Promise<ServerFacts> {
  const [server, replication] = await Promise.all(
    ['server', 'replication'].map(async (section) => readInfo(await connection.command(['INFO', section]))),
  )
  const value = (name: string) => server?.get(name) ?? replication?.get(name) ?? ''
  return {
    run: `${value('run_id')}:${value('master_replid')}`,
    version: value('redis_version'),
    isTooOld: Number.parseInt(value('redis_version'), 10) < oldestMajor,
    isReplica: value('role') !== 'master',
    wasPromoted: !/^0*$/.test(value('master_replid2')),
    weaknesses: await findWeaknesses(connection),
  }
}

/** Returns the fields of a reply to INFO by name. */
export function readInfo(reply: RedisReply): Map<string, string> {
  const lines = String(reply)
    .split('\r\n')
    .filter((line) => line.includes(':'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}

/** Returns the settings without the required value. A server that rejects CONFIG GET counts as weak. */
export async function findWeaknesses(connection: RedisConnection): Promise<string[]> {
  const names = Object.keys(requiredSettings) as (keyof typeof requiredSettings)[]
  let reply: RedisReply
  try {
    reply = await connection.command(['CONFIG', 'GET', ...names])
  } catch (error) {
    if (!connection.isOpen()) throw error
    return ['unknown settings (CONFIG GET is not allowed)']
  }
  const found = new Map<string, string>()
  const words = Array.isArray(reply) ? reply.map(String) : []
  for (let index = 0; index + 1 < words.length; index += 2) found.set(words[index] ?? '', words[index + 1] ?? '')
  return names
    .filter((name) => found.get(name) !== requiredSettings[name])
    .map((name) => `${name} ${found.get(name) ?? '?'}`)
}
