import { spawnSync } from 'node:child_process'
import { loadCore } from '../../scripts/pinning.ts'
import { isInstalled, postgresProgram } from '../../scripts/programs.ts'
import { startPostgres } from '../../tests/support/postgres-server.ts'
import { startRedis } from '../../tests/support/redis-server.ts'
import { type BurstResult, openRoom } from '../harness/room.ts'
import { type StartOptions, startServer } from '../harness/server-process.ts'
import { launchApp } from '../peers/app-peer.ts'
import { type Peer, unavailable } from '../peers/peer.ts'
import type { Scenario } from './scenario.ts'

const clients = 1_000
const rate = 300
const seconds = 3

async function burstIn(peer: Peer, options: StartOptions & { sendersPort?: number } = {}): Promise<BurstResult> {
  const room = await openRoom(peer, clients, options)
  try {
    await room.warmUp()
    return await room.burst({ rate, seconds })
  } finally {
    await room.close()
  }
}

/** Compares a cluster node on Redis and PostgreSQL with a single process on SQLite. */
export const nodes: Scenario = {
  name: 'nodes',
  title: 'Cluster node, 300 msg/s to 1,000 clients',
  supportedPeers: ['app'],
  peers: ['app'],
  quickPeers: [],
  expectedSeconds: () => 36,
  async measure(peer, { note }) {
    if (!isInstalled('redis-server') || postgresProgram('postgres') === null)
      throw unavailable('redis-server or postgresql is not installed')
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    // In production Redis has its own machine. Here it shares the core of the load generator.
    spawnSync('taskset', ['-a', '-c', '-p', String(loadCore), String(redis.pid())], { stdio: 'ignore' })
    const settings = { REDIS_URL: redis.url, DATABASE_URL: postgres.url }
    const launch = (port: number, folder: string) => launchApp(port, folder, settings)
    try {
      note('single process')
      const alone = await burstIn(peer)
      note('cluster node')
      const node = await burstIn(peer, { launch })
      note('cross-node')
      const other = await startServer(peer, { launch, core: loadCore })
      try {
        return {
          scenario: 'nodes',
          alone,
          node,
          crossNode: await burstIn(peer, { launch, sendersPort: other.port }),
        }
      } finally {
        await other.stop()
      }
    } finally {
      await Promise.all([redis.close(), postgres.close()])
    }
  },
}
