import type { RedisConnection, RedisReply } from './redis-connection.ts'

/** The oldest release that lets neither an answer nor a read-back out before the disk has it, and names its settings at once. */
const oldestMajor = 7

/** What keeps an acknowledged message over a crash, by Redis's own names. */
const demanded = {
  appendonly: 'yes',
  appendfsync: 'always',
  'no-appendfsync-on-rewrite': 'no',
  'maxmemory-policy': 'noeviction',
} as const

/** The server at the other end of a connection; it stays the same for as long as the connection lives. */
export interface ServerFacts {
  /** Another one after each start of the server, and after each promotion. */
  run: string
  version: string
  isTooOld: boolean
  /** It follows another server, and takes nothing. */
  isReplica: boolean
  /** It followed another server before: what that one had not passed on is lost. */
  wasPromoted: boolean
  /** The settings that are not as they have to be, as `name value`. */
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

function readInfo(reply: RedisReply): Map<string, string> {
  const lines = String(reply)
    .split('\r\n')
    .filter((line) => line.includes(':'))
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]))
}

/** A server that does not tell its settings is one whose settings are not known to be right. */
async function findWeaknesses(connection: RedisConnection): Promise<string[]> {
  const names = Object.keys(demanded) as (keyof typeof demanded)[]
  let reply: RedisReply
  try {
    reply = await connection.command(['CONFIG', 'GET', ...names])
  } catch (error) {
    if (!connection.isOpen()) throw error
    return ['CONFIG GET is not allowed']
  }
  const found = new Map<string, string>()
  const words = Array.isArray(reply) ? reply.map(String) : []
  for (let index = 0; index + 1 < words.length; index += 2) found.set(words[index] ?? '', words[index + 1] ?? '')
  return names.filter((name) => found.get(name) !== demanded[name]).map((name) => `${name} ${found.get(name) ?? '?'}`)
}
