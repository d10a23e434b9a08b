import type { Report } from '../../../observe/events.ts'
import type { OpenRedisConnection, RedisConnection, RedisReply } from '../redis-connection.ts'
import { RedisError } from '../redis-error.ts'
import { runScript } from '../redis-script.ts'
import { readInfo } from '../server-facts.ts'
import { stateKey } from './log-scripts.ts'
import { rewrittenScript } from './removal-scripts.ts'

const minRewriteIntervalMs = '60000'
const rewriteLockKey = '{room}:rewrite'
/** Minimum time between two attempts of a node to save after a failure. Redis itself waits as long. */
const saveRetryMs = 5_000
/** Matches the error of a write after the last save has failed (stop-writes-on-bgsave-error, on by default). */
const saveFailed = /^MISCONF .*\bRDB\b/

interface FileErasureOptions {
  url: string
  connect: OpenRedisConnection
  report: Report
}

/** Removals whose texts may still be in the files of Redis. */
interface PendingErasure {
  /** Number of the newest removal that no complete rewrite has covered. */
  erased: string
  /**
   * Value of `erased` and run of Redis at the start of the last rewrite; empty if there is none, or a node has recorded
   * its end. The value ends with `savingMark` while Redis saves the RDB file, after the append-only file was rewritten.
   */
  rewriting: string
  /** Current run of Redis. A restart aborts a rewrite. */
  run: string
}

const savingMark = ' saving'

/**
 * Creates the functions that rewrite the files of Redis, which still hold the texts of removed messages. A rewrite covers
 * the append-only file, and then, if Redis reports save points, the RDB file.
 */
export function createFileErasure({ url, connect, report }: FileErasureOptions) {
  let savedAtMs = Number.NEGATIVE_INFINITY
  /** Whether a refusal was reported since the last successful start of a rewrite. */
  let isRefusalReported = false

  /** Starts a rewrite of the files of a replica, because the rewrite of the primary does not change them. */
  async function rewriteReplica(address: string, erased: string): Promise<void> {
    const replicaUrl = new URL(url)
    replicaUrl.host = address
    try {
      const replica = await connect(replicaUrl.href, 'chat-room-erase')
      try {
        const removals = await replica.command(['HGET', stateKey, 'removals'])
        if (Number(removals) < Number(erased)) throw new RedisError('The replica is behind.')
        await startRewrite(replica)
        if (await hasSavePoints(replica)) await tryCommand(replica, 'BGSAVE', 'SCHEDULE')
      } finally {
        replica.close()
      }
    } catch (error) {
      report({ type: 'redis-replica-not-erased', replica: address, error })
    }
  }

  /** Starts a rewrite, at most once a minute for all nodes. Reports only the first of several refusals, as by a managed Redis. */
  async function start(connection: RedisConnection, covered: string): Promise<void> {
    const isDue = await connection.command(['SET', rewriteLockKey, '1', 'NX', 'PX', minRewriteIntervalMs])
    if (isDue === null) return
    try {
      await startRewrite(connection)
    } catch (error) {
      if (!connection.isOpen()) throw error
      if (!isRefusalReported && !isBusy(error)) {
        isRefusalReported = true
        report({ type: 'redis-not-erased', error })
      }
      return
    }
    isRefusalReported = false
    await connection.command(['HSET', stateKey, 'rewriting', covered])
  }

  async function finish(connection: RedisConnection, erased: string): Promise<void> {
    const isFirst = (await runScript(connection, rewrittenScript, [stateKey], [erased])) !== null
    if (!isFirst) return
    const replication = readInfo(await connection.command(['INFO', 'replication']))
    // Rewrite the replicas in the background, because the caller also delivers messages, and a replica may be
    // unreachable.
    for (const address of replicaAddresses(replication)) void rewriteReplica(address, erased)
  }

  return {
    /** Starts or continues a rewrite. Each node calls it about every second until the rewrite is complete. */
    async continueRewrite(connection: RedisConnection, { erased, rewriting, run }: PendingErasure): Promise<void> {
      const covered = `${erased} ${run}`
      const isSaving = rewriting === covered + savingMark
      if (rewriting !== covered && !isSaving) return start(connection, covered)
      const persistence = readInfo(await connection.command(['INFO', 'persistence']))
      const has = (key: string, value: string) => persistence.get(key) === value
      // Wait for the rewrite or the save. Redis delays a rewrite until a save that already runs ends.
      if (running.some((key) => has(key, '1'))) return
      if (!has(isSaving ? 'rdb_last_bgsave_status' : 'aof_last_bgrewrite_status', 'ok')) {
        await connection.command(['HDEL', stateKey, 'rewriting'])
        return
      }
      if (isSaving || !(await hasSavePoints(connection))) return finish(connection, erased)
      const outcome = await startSave(connection)
      if (outcome === 'started') await connection.command(['HSET', stateKey, 'rewriting', covered + savingMark])
      else if (outcome === 'forbidden') await finish(connection, erased)
    },

    /** Saves again if `error` says that the last save failed, because Redis rejects all writes until a save succeeds. */
    async retryFailedSave(connection: RedisConnection, error: unknown): Promise<void> {
      if (!(error instanceof RedisError && saveFailed.test(error.message))) return
      if (performance.now() - savedAtMs < saveRetryMs) return
      savedAtMs = performance.now()
      await startSave(connection)
    },
  }
}

const running = ['aof_rewrite_in_progress', 'aof_rewrite_scheduled', 'rdb_bgsave_in_progress']

/** Starts to rewrite the append-only file of one server, and empties its slow log. */
async function startRewrite(connection: RedisConnection): Promise<void> {
  await connection.command(['BGREWRITEAOF'])
  await tryCommand(connection, 'SLOWLOG', 'RESET')
}

/** Starts to save. `busy`: Redis already saves or rewrites. `forbidden`: another error, for example of a managed Redis. */
async function startSave(connection: RedisConnection): Promise<'started' | 'busy' | 'forbidden'> {
  try {
    await connection.command(['BGSAVE'])
    return 'started'
  } catch (error) {
    return isBusy(error) ? 'busy' : 'forbidden'
  }
}

const isBusy = (error: unknown) => /in progress|child process/i.test(String(error))

async function hasSavePoints(connection: RedisConnection): Promise<boolean> {
  const savePoints = await tryCommand(connection, 'CONFIG', 'GET', 'save')
  return Array.isArray(savePoints) && savePoints[1] !== ''
}

/** Runs a command that a managed Redis may not allow. Returns `null` if it fails. */
async function tryCommand(connection: RedisConnection, ...words: string[]): Promise<RedisReply> {
  return connection.command(words).catch(() => null)
}

/** Returns host and port of each connected replica. */
function replicaAddresses(replication: ReadonlyMap<string, string>): string[] {
  return [...replication].flatMap(([name, value]) => {
    const [, host, port] = /^slave\d+$/.test(name) ? (/^ip=([^,]+),port=(\d+),/.exec(value) ?? []) : []
    return host === undefined ? [] : [`${host.includes(':') ? `[${host}]` : host}:${port}`]
  })
}
