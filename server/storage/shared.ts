import { openPostgresAccountStore } from './postgres/postgres-account-store.ts'
import { createRedisLoginLedger } from './redis/logins/redis-login-ledger.ts'
import { openRedisRoster } from './redis/roster/redis-roster.ts'
import { checkRedis } from './redis/check-redis.ts'
import { retryAtStart } from './redis/retry-at-start.ts'
import { createRedisLink } from './redis/redis-link.ts'
import { openRedisLog } from './redis/log/redis-log.ts'
import { retentionOf, type SharedSettings } from '../config/settings.ts'
import type { ModuleContext } from '../observe/module-context.ts'
import type { Storage } from './storage.ts'
import { openRedisBus } from './redis/redis-bus.ts'
import { compareRetention, watchDurability } from './redis/watch-settings.ts'

/**
 * Duration of an outage after which the node closes its connections, so that clients connect to other nodes. During a
 * shorter outage, clients stay connected.
 */
const isolatedAfterMs = 15_000

/** Opens the storage of a cluster node: Redis for messages and presence, PostgreSQL for accounts. */
export async function openSharedStorage(context: ModuleContext, shared: SharedSettings): Promise<Storage> {
  const { settings, report, resources } = context
  const { redisUrl, redisDurability, redisWaitReplicas, databaseUrl } = shared
  const weaknesses = await checkRedis({ url: redisUrl, durability: redisDurability }, report)
  const accounts = await openPostgresAccountStore(databaseUrl, report)
  resources.defer(() => accounts.close())
  const link = createRedisLink(redisUrl, 'chat-room')
  resources.defer(() => link.close())
  resources.defer(watchDurability(link, weaknesses, report).stop)
  const retention = retentionOf(settings)
  await retryAtStart(redisUrl, () => compareRetention(link, retention, report))
  const { bus, events } = await retryAtStart(redisUrl, () => openRedisBus(link))
  const logOptions = { url: redisUrl, retention, waitReplicas: redisWaitReplicas, events, report }
  const messageLog = await retryAtStart(redisUrl, () => openRedisLog(logOptions))
  resources.defer(() => messageLog.close())

  return {
    messageLog,
    openRoster: (listener) => openRedisRoster(redisUrl, listener, report),
    accounts,
    isReadyWithoutAccounts: true,
    logins: createRedisLoginLedger(link, report),
    bus,
    isolatedAfterMs,
  }
}
