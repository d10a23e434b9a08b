import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HistoryEvent } from './history.ts'
import { findFreePort } from '../support/free-port.ts'
import { startNginx } from '../support/nginx-server.ts'
import { startPostgres } from '../support/postgres-server.ts'
import { startRedis } from '../support/redis-server.ts'
import { serverEntry } from '../support/server-entry.ts'
import { createRunFolder, serverEnvironment } from './server-setup.ts'
import { createServerProcess } from './server-process.ts'
import { createTcpProxy } from './tcp-proxy.ts'

const hourMs = 3_600_000

type RunFolder = Awaited<ReturnType<typeof createRunFolder>>
export type ClusterSetup = Awaited<ReturnType<typeof createClusterSetup>>

/**
 * Creates nodes behind nginx. Each node has its own clock offset, and its own proxy to Redis, which can cut
 * connections.
 */
export async function createClusterSetup(count: number, retainedMessages: number) {
  const runFolder = await createRunFolder()
  const parts = new AsyncDisposableStack()
  try {
    return await openCluster(count, retainedMessages, runFolder, parts)
  } catch (error) {
    await parts.disposeAsync()
    await runFolder.remove()
    throw error
  }
}

/** Starts all programs except the nodes. `parts` closes them in reverse order. */
async function openCluster(count: number, retainedMessages: number, runFolder: RunFolder, parts: AsyncDisposableStack) {
  const { folder, histories, serverHistory, saveHistories, remove } = runFolder
  parts.defer(() => serverHistory.close())
  const postgres = parts.adopt(await startPostgres(), (started) => started.close())
  const redis = parts.adopt(await startRedis(), (started) => started.close())

  const adminSocketOf = (index: number) => join(folder, `admin-${index}.sock`)

  async function createNode(index: number) {
    const port = await findFreePort()
    const redisProxy = parts.adopt(await createTcpProxy(redis.port), (proxy) => proxy.close())
    const clockFile = join(folder, `clock-${index}`)
    // The clocks of the nodes differ by hours, because delivery must not depend on them.
    writeFileSync(clockFile, String((index - 1) * 3 * hourMs))
    const server = createServerProcess({
      port,
      entry: serverEntry,
      env: {
        ...serverEnvironment(clockFile, retainedMessages),
        DATABASE_URL: postgres.url,
        REDIS_URL: `redis://127.0.0.1:${redisProxy.port}`,
        TRUST_PROXY: '127.0.0.1',
        PUBLIC_ORIGINS: 'http://localhost',
        ADMIN_SOCKET: adminSocketOf(index),
      },
      logFile: join(histories, `node-${index}.log`),
      record: (event) => serverHistory.record(event),
    })
    parts.defer(() => server.close())
    return { server, redisProxy, port }
  }

  const nodes = await Promise.all(Array.from({ length: count }, (_, index) => createNode(index)))
  const crashed = Promise.race(nodes.map(({ server }) => server.crashed))
  crashed.catch(() => undefined)
  const nginx = parts.adopt(await startNginx(nodes.map(({ port }) => port)), (started) => started.close())

  return {
    port: nginx.port,
    histories,
    postgres,
    redis,
    nginx,
    nodes,
    adminSockets: nodes.map((_, index) => adminSocketOf(index)),
    record: (event: HistoryEvent) => serverHistory.record(event),
    crashed,
    start: () => Promise.all(nodes.map(({ server }) => server.start())),
    recordFault: (isActive: boolean) => serverHistory.record({ type: 'fault', isActive }),
    /** Records a restore, which may have lost messages that were acknowledged before. */
    recordRestore: () => serverHistory.record({ type: 'restored', provenBy: 'clients' }),
    close: () => parts.disposeAsync(),
    saveHistories,
    remove,
  }
}
