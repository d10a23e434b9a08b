import type { Logger } from 'pino'
import { openPostgresAccountStore } from './postgres/postgres-account-store.ts'
import { createRedisLoginLedger } from './redis/logins/redis-login-ledger.ts'
import { createOutageWarning } from '../observe/throttled-warning.ts'
import { openRedisRoster } from './redis/roster/redis-roster.ts'
import { demandRedis } from './redis/demand-redis.ts'
import { createRedisLink } from './redis/redis-link.ts'
import type { LogListener, MessageLog } from '../room/message-log.ts'
import { openRedisLog } from './redis/log/redis-log.ts'
import { retentionOf, type Settings, type SharedSettings } from '../config/settings.ts'
import type { Backing } from './storage.ts'
import { openRedisOrders } from './redis/redis-bus.ts'

/** Pages that can neither send nor hear here find another node; shorter outages they sit out where they are. */
const leaveAfterMs = 15_000

/** What the process stands on when it is one of several nodes: Redis for the room, PostgreSQL for accounts. */
export async function openSharedBacking(settings: Settings, shared: SharedSettings, log: Logger): Promise<Backing> {
  const { redisUrl, redisDurability, redisWaitReplicas, databaseUrl } = shared
  await demandRedis({ url: redisUrl, durability: redisDurability }, log)
  const accounts = await openPostgresAccountStore(databaseUrl, { onWarning: (message) => log.warn(message) })
  const link = createRedisLink(redisUrl, 'chat-room')
  const { orders, stream } = await openRedisOrders(link)
  const logs: MessageLog[] = []
  const warnOfReader = createOutageWarning((error) =>
    log.warn({ err: error }, 'Redis cannot be heard just now; trying again'),
  )
  const warnOfRoster = createOutageWarning((error) =>
    log.warn({ err: error }, 'who is online elsewhere cannot be asked just now; trying again'),
  )

  const warnOfLedger = createOutageWarning((error) =>
    log.warn({ err: error }, 'failed logins cannot be counted in Redis just now; this node counts for itself'),
  )

  async function openLog(listener: LogListener): Promise<MessageLog> {
    const messageLog = await openRedisLog({
      url: redisUrl,
      retention: retentionOf(settings),
      listener,
      waitReplicas: redisWaitReplicas,
      sideStreams: [stream],
      onReaderFailed: warnOfReader,
    })
    logs.push(messageLog)
    return messageLog
  }

  return {
    openLog,
    openRoster: (listener) => openRedisRoster(redisUrl, listener, { onFailed: warnOfRoster }),
    accounts,
    logins: createRedisLoginLedger(link, { onAway: warnOfLedger }),
    orders,
    files: {},
    isReadyWithoutAccounts: true,
    leaveAfterMs,
    async close() {
      link.close()
      await Promise.all([...logs, accounts].map((store) => store.close()))
    },
  }
}
