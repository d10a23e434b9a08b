import type { Report } from '../../../observe/events.ts'
import type { OpenRedisConnection, RedisConnection } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { runScript } from '../redis-script.ts'
import { readInfo } from '../server-facts.ts'
import { stateKey } from './log-scripts.ts'
import { rewrittenScript } from './removal-scripts.ts'

const minRewriteIntervalMs = '60000'
const rewriteLockKey = '{room}:rewrite'

interface FileErasureOptions {
  url: string
  connect: OpenRedisConnection
  report: Report
}

/** Removals whose texts may still be in the files of Redis. */
interface PendingErasure {
  /** Number of the newest removal that no complete rewrite has covered. */
  erased: string
  /** Value of `erased` and run of Redis at the start of the last rewrite; empty if it failed. */
  rewriting: string
  /** Current run of Redis. A restart aborts a rewrite. */
  run: string
}

/**
 * Creates the function that rewrites the files of Redis, which still hold the texts of removed messages. Only one node
 * starts a rewrite, at most once a minute. Each node calls it every second until a rewrite is complete.
 */
export function createFileErasure({ url, connect, report }: FileErasureOptions) {
  /** Rewrites the files of a replica: a rewrite of the primary does not reach it. */
  async function rewriteReplica(address: string, erased: string): Promise<void> {
    const replicaUrl = new URL(url)
    replicaUrl.host = address
    try {
      const replica = await connect(replicaUrl.href, 'chat-room-erase')
      try {
        const removals = await replica.command(['HGET', stateKey, 'removals'])
        if (Number(removals) < Number(erased)) throw new RedisError('The replica is behind.')
        await startRewrite(replica)
      } finally {
        replica.close()
      }
    } catch (error) {
      report({ type: 'redis-replica-not-erased', replica: address, error })
    }
  }

  return async (connection: RedisConnection, { erased, rewriting, run }: PendingErasure): Promise<void> => {
    const covered = `${erased} ${run}`
    if (rewriting !== covered) {
      const isDue = await connection.command(['SET', rewriteLockKey, '1', 'NX', 'PX', minRewriteIntervalMs])
      if (isDue === null) return
      await startRewrite(connection)
      await connection.command(['HSET', stateKey, 'rewriting', covered])
      return
    }
    const persistence = readInfo(await connection.command(['INFO', 'persistence']))
    const isRunning = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled'].some((key) => persistence.get(key) === '1')
    if (isRunning) return
    if (persistence.get('aof_last_bgrewrite_status') !== 'ok') {
      await connection.command(['HDEL', stateKey, 'rewriting'])
      return
    }
    const isFirst = (await runScript(connection, rewrittenScript, [stateKey], [erased])) !== null
    if (!isFirst) return
    const replication = readInfo(await connection.command(['INFO', 'replication']))
    // Rewrite the replicas in the background, because the caller also delivers messages, and a replica may be
    // unreachable.
    for (const address of replicaAddresses(replication)) void rewriteReplica(address, erased)
  }
}

/** Starts to rewrite the files of one server, and empties its slow log. */
async function startRewrite(connection: RedisConnection): Promise<void> {
  await connection.command(['BGREWRITEAOF'])
  // A managed Redis may not allow these commands.
  const tryCommand = (...words: string[]) => connection.command(words).catch(() => null)
  const savePoints = await tryCommand('CONFIG', 'GET', 'save')
  if (Array.isArray(savePoints) && savePoints[1] !== '') await tryCommand('BGSAVE', 'SCHEDULE')
  await tryCommand('SLOWLOG', 'RESET')
}

/** Returns host and port of each connected replica. */
function replicaAddresses(replication: ReadonlyMap<string, string>): string[] {
  return [...replication].flatMap(([name, value]) => {
    const [, host, port] = /^slave\d+$/.test(name) ? (/^ip=([^,]+),port=(\d+),/.exec(value) ?? []) : []
    return host === undefined ? [] : [`${host.includes(':') ? `[${host}]` : host}:${port}`]
  })
}
